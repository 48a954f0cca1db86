import { describe, expect, test } from 'vitest';
import { type Definition, definitionSchema, parseWith } from '../../domain/index.ts';
import { fieldOf, isChanged, labelOf, place } from './editor-fields.ts';
import { type EditorForm, formOf, readForm } from './editor-form.ts';
import {
  emptyStep,
  isJustOne,
  stepsIn,
  withStepAt,
  withStepMoved,
  withoutStepAt,
} from './editor-steps-form.ts';
import { stepSentence, stepText } from './editor-step-words.ts';

const context = { now: Date.parse('2026-11-29T14:52:10Z'), zone: 'Europe/Paris' };

const get = (url: string) => ({ kind: 'http', url }) as const;
const remind = (message: string) => ({ kind: 'remind', message }) as const;

function definition(action: object): Definition {
  const parsed = parseWith(definitionSchema, { name: 'Several', schedule: { kind: 'manual' }, action });
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function formWith(...steps: object[]): EditorForm {
  return formOf(definition({ kind: 'steps', steps }), context);
}

const three = formWith(
  { action: get('https://shop.test/prices') },
  { name: 'Tell it', action: remind('It is {{ steps.1.json.price }} ({{ steps["1"].status }}) at steps.1') },
  {
    action: {
      ...get('https://log.test/?a={{ steps[2].output | url_encode }}'),
      headers: { 'X-First': '{% if steps.1.output %}yes{% endif %}' },
    },
  },
);

describe('an action that is given another step', () => {
  const alone = formOf(definition({ ...get('https://a.test/'), headers: { A: 'b' } }), context);

  test('is the first of two, with the id under which it remembers', () => {
    const steps = stepsIn(alone, null);
    expect(steps).toMatchObject([{ id: 1, action: { url: 'https://a.test/', actionKind: 'http' } }]);
    const both = withStepAt(steps, 1, {
      ...emptyStep([1]),
      action: { ...alone, actionKind: 'remind', message: 'x' },
    });
    expect(readForm({ ...alone, steps: both }, context)).toMatchObject({
      kind: 'ok',
      value: {
        action: { kind: 'steps', steps: [{ action: get('https://a.test/') }, { action: remind('x') }] },
      },
    });
  });

  test('is what it was when that is taken away again', () => {
    const both = withStepAt(stepsIn(alone, null), 1, emptyStep([1]));
    const left = withoutStepAt(both, 1);
    expect(isJustOne(left)).toBe(true);
    expect(JSON.stringify({ ...alone, ...left[0]?.action })).toBe(JSON.stringify(alone));
  });

  test('is one of one step while it has a name, or remembers under another number', () => {
    const [first] = stepsIn(alone, null);
    if (first === undefined) throw new Error('no step');
    expect(isJustOne([{ ...first, name: 'Ask' }])).toBe(false);
    expect(isJustOne([{ ...first, id: 2 }])).toBe(false);
    expect(isJustOne([first, { ...first, id: 2 }])).toBe(false);
  });
});

test('a step that is new has a number that none has or had', () => {
  expect(emptyStep([1, 7, 3]).id).toBe(8);
  expect(emptyStep([]).id).toBe(1);
});

describe('what names a step by its number', () => {
  const texts = (steps: EditorForm['steps']) =>
    steps.map(({ action }) => [action.message, action.url, action.headers[0]?.value]);

  test('names the same one when steps are moved', () => {
    const moved = withStepMoved(three.steps, 0, 1);
    expect(texts(moved)).toEqual([
      ['It is {{ steps.2.json.price }} ({{ steps["2"].status }}) at steps.1', '', undefined],
      ['', 'https://shop.test/prices', undefined],
      ['', 'https://log.test/?a={{ steps[1].output | url_encode }}', '{% if steps.2.output %}yes{% endif %}'],
    ]);
    expect(withStepMoved(moved, 1, 0)).toEqual(three.steps);
    expect(moved.map(({ id }) => id)).toEqual([2, 1, 3]);
  });

  test('names the same one when a step comes in between', () => {
    const more = withStepAt(three.steps, 1, emptyStep([1, 2, 3]));
    expect(more.map(({ id }) => id)).toEqual([1, 4, 2, 3]);
    expect(more[3]?.action.url).toBe('https://log.test/?a={{ steps[3].output | url_encode }}');
    expect(withoutStepAt(more, 1)).toEqual(three.steps);
  });

  test('says so when that step is removed, and never names another', () => {
    const [tell, log] = withoutStepAt(three.steps, 0);
    expect(tell?.action.message).toBe(
      'It is {{ steps.removed.json.price }} ({{ steps.removed.status }}) at steps.1',
    );
    expect(log?.action.url).toBe('https://log.test/?a={{ steps[1].output | url_encode }}');
    expect(log?.action.headers[0]?.value).toBe('{% if steps.removed.output %}yes{% endif %}');
  });

  test('is followed in scripts, too', () => {
    const { steps } = formWith(
      { action: get('https://a.test/') },
      { action: { kind: 'script', source: 'return steps[1].json.n + steps [ 1 ].status;' } },
    );
    const more = withStepAt(steps, 0, emptyStep([1, 2]));
    expect(more[2]?.action.scriptSource).toBe('return steps[2].json.n + steps [ 2 ].status;');
  });
});

describe('what is wrong in a step', () => {
  const broken: EditorForm = {
    ...three,
    steps: three.steps.map((step) =>
      step.id === 3 ? { ...step, action: { ...step.action, url: '', status: 'ok' } } : step,
    ),
  };

  test('is at its field, in the order of the steps, and the summary names the step', () => {
    const read = readForm(broken, context);
    if (read.kind === 'ok') throw new Error('nothing is wrong');
    const placed = place(read.problems, broken);
    expect(placed.map(({ field }) => field)).toEqual(['steps.3.url', 'steps.3.status']);
    expect(placed.map(({ field }) => (field === null ? null : labelOf(field, broken)))).toEqual([
      'Step 3, URL',
      'Step 3, Expected status',
    ]);
  });

  test('does not say the step twice where it was found by the host', () => {
    const [one, two] = place(
      [
        { path: 'action.steps[1].action.message', message: 'Step 2 (Tell it): the message names nothing.' },
        { path: 'action.steps[2].action.headers["X-First"]', message: 'Step 3: The value is no good.' },
      ],
      three,
    );
    expect(one).toMatchObject({ field: 'steps.2.message', message: 'The message names nothing.' });
    expect(two).toMatchObject({ field: 'steps.3.headers.0', message: 'The value is no good.' });
  });

  test.each([
    ['action.steps[1].name', 'steps.2.stepName'],
    ['action.steps[1].onlyIf', 'steps.2.onlyIf'],
    ['action.steps[1].id', 'steps.2'],
    ['action.steps[1].action.url', 'steps.2'],
    ['action.steps', 'steps'],
    ['action.steps[7].action.url', 'steps'],
  ])('%s is at %s', (path, field) => {
    expect(fieldOf(path, three)).toBe(field);
  });

  test('stays where it is while another step is typed in, and goes with its own', () => {
    const typed = (id: number): EditorForm => ({
      ...three,
      steps: three.steps.map((step) =>
        step.id === id ? { ...step, action: { ...step.action, message: 'other' } } : step,
      ),
    });
    expect(isChanged('steps.2.message', three, typed(2))).toBe(true);
    expect(isChanged('steps.2.message', three, typed(3))).toBe(false);
    expect(isChanged('steps.2.url', three, typed(2))).toBe(false);
    expect(isChanged('steps.2.message', three, { ...three, steps: withStepMoved(three.steps, 0, 1) })).toBe(
      true,
    );
    expect(isChanged('timeout', three, { ...three, steps: [] })).toBe(false);
  });
});

test('a step says what it does, also before anything is typed', () => {
  expect(three.steps.map(stepText)).toEqual([
    'GET https://shop.test/prices',
    'Reminder: It is {{ steps.1.json.price }} ({{ steps["1"].status }}) at steps.1',
    'GET https://log.test/?a={{ steps[2].output | url_encode }}',
  ]);
  expect(three.steps.map(stepSentence)[1]).toBe('Tell it');
  expect(stepText(emptyStep([]))).toBe('HTTP request, no address yet');
});
