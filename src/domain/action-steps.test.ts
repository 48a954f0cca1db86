import { describe, expect, test } from 'vitest';
import { isRepeatable } from './action.ts';
import type { StepsAction } from './action-steps.ts';
import { sameStepsBefore } from './steps.ts';
import { definitionSchema } from './definition.ts';
import { carryUnknown, loosen, withoutUnknown } from './loose.ts';
import { parseWith } from './problem.ts';

const get = { kind: 'http', url: 'https://a.test/' };
const watch = { kind: 'watch', url: 'https://a.test/', part: { kind: 'text' } };

function parse(steps: unknown) {
  return parseWith(definitionSchema, {
    name: 'x',
    schedule: { kind: 'manual' },
    action: { kind: 'steps', steps },
  });
}

function stepsOf(steps: unknown): StepsAction {
  const parsed = parse(steps);
  if (parsed.kind === 'invalid' || parsed.value.action.kind !== 'steps')
    throw new Error(JSON.stringify(parsed));
  return parsed.value.action;
}

describe('steps', () => {
  test('are one to twenty', () => {
    expect(parse([{ action: get }]).kind).toBe('ok');
    expect(parse(Array.from({ length: 20 }, () => ({ action: get }))).kind).toBe('ok');
    expect(parse([])).toMatchObject({
      problems: [{ path: 'action.steps', message: 'Add at least one step.' }],
    });
    expect(parse(Array.from({ length: 21 }, () => ({ action: get })))).toMatchObject({
      problems: [{ path: 'action.steps', message: 'At most 20 steps.' }],
    });
  });

  test.each([
    [
      { action: { kind: 'http', url: 'ftp://a.test' } },
      'action.url',
      'Step 2: The URL must start with http:// or https:// and name a host.',
    ],
    [{ action: { ...get, body: 'x' } }, 'action.body', 'Step 2: A GET request has no body.'],
    [
      { action: { kind: 'steps', steps: [] } },
      'action.kind',
      'Step 2: The action of a step is one of "http", "watch", "prompt", "remind" and "script".',
    ],
    [{ action: get, name: ' ' }, 'name', 'Step 2: Name the step, or leave it out.'],
    [{ action: get, wait: 3 }, 'wait', 'Step 2: Rota does not know this field.'],
    [{ action: get, id: 1 }, 'id', 'Step 2: it has the id 1, like step 1.'],
    [
      { action: get, onlyIf: 'changed' },
      'onlyIf',
      'Step 2: no step before it is a watch, so there is no change that it could wait for.',
    ],
  ])('%j as the second is refused with its place and its number', (second, path, message) => {
    expect(parse([{ action: get }, second])).toEqual({
      kind: 'invalid',
      problems: [{ path: `action.steps[1].${path}`, message }],
    });
  });

  test('may wait for a change once there is a watch before them', () => {
    expect(parse([{ action: watch }, { action: get, onlyIf: 'changed' }]).kind).toBe('ok');
  });

  test('are repeatable when all of them are', () => {
    expect(isRepeatable(stepsOf([{ action: get }, { action: watch }]))).toBe(true);
    expect(isRepeatable(stepsOf([{ action: get }, { action: { ...get, method: 'POST' } }]))).toBe(false);
  });

  test('keep what a newer build wrote into them, at each depth', () => {
    const stored = {
      name: 'x',
      schedule: { kind: 'manual' },
      action: { kind: 'steps', steps: [{ action: { ...get, http3: true }, colour: 'red' }] },
    };
    const read = parseWith(loosen(definitionSchema), stored);
    expect(read.kind).toBe('ok');
    if (read.kind === 'invalid') return;
    const strict = withoutUnknown(definitionSchema, read.value as object);
    expect(parseWith(definitionSchema, strict).kind).toBe('ok');
    expect(carryUnknown(definitionSchema, read.value as object, strict)).toMatchObject(stored);
  });
});

describe('what an earlier run brought back may be used', () => {
  const base = [{ action: get }, { action: watch }, { action: get }];

  test.each([
    ['nothing was edited', base, true],
    ['a step was renamed', [{ name: 'Ask', action: get }, ...base.slice(1)], true],
    ['the step itself was edited', [base[0], base[1], { action: { ...get, url: 'https://b.test/' } }], true],
    ['one was added behind', [...base, { action: get }], true],
    ['a step before was edited', [{ action: { ...get, url: 'https://b.test/' } }, ...base.slice(1)], false],
    ['steps before changed places', [{ id: 2, action: watch }, { id: 1, action: get }, base[2]], false],
    ['the step is gone', base.slice(0, 2), false],
  ])('when %s: %#', (_what, now, may) => {
    expect(sameStepsBefore(stepsOf(base), stepsOf(now), 3)).toBe(may);
  });

  test('but not when there is one action alone', () => {
    expect(sameStepsBefore(stepsOf(base), { kind: 'remind', message: 'x' }, 1)).toBe(false);
  });
});
