import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import {
  type AutomationId,
  type Definition,
  type EpochMs,
  MINUTE_MS,
  type Problem,
} from '../../domain/index.ts';
import { actionsOf, definitionSchema, notifyRuleOf, parseWith } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import { runNow, setEnabled } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { onTick } from '../parts/clock.ts';
import { askToConfirm } from '../parts/confirm.ts';
import { conflictStyles, conflictView, sideOf } from '../parts/editor-conflict-view.ts';
import { notifyFields } from '../parts/editor-notify.ts';
import { cannotRunFields, limitFields } from '../parts/editor-rules.ts';
import { editorStyles } from '../parts/editor-styles.ts';
import { type EditorView, type StepsView, fieldDomId } from '../parts/editor-view.ts';
import { whatFields } from '../parts/editor-what.ts';
import { whenAside } from '../parts/editor-when-aside.ts';
import { whenFields } from '../parts/editor-when.ts';
import { formStyles } from '../parts/form-field.ts';
import { stepsStyles } from '../parts/editor-steps.ts';
import { ClearOfBar } from '../parts/clear-of-bar.ts';
import { LeaveGuard } from '../parts/leave-guard.ts';
import '../parts/menu.ts';
import type { Menu } from '../parts/menu.ts';
import { nextRunsStyles } from '../parts/next-runs.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { shared } from '../parts/styles.ts';
import { switchControl, switchStyles } from '../parts/switch.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost, Unsubscribe } from '../remote-host.ts';
import { href, nameScreen, navigate } from '../router.ts';
import { findStarter } from '../starters.ts';
import { countText } from '../text/counts.ts';
import { namedDateTime, ownZone } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { type ReadProblem, problemOf } from '../watched.ts';
import { type ConflictPath, type Side, combine, differences } from './editor-conflict.ts';
import { DraftKeeper } from './editor-draft-keeper.ts';
import {
  type FieldId,
  type PlacedProblem,
  isChanged,
  labelOf,
  place,
  problemAt,
  stepFieldOf,
} from './editor-fields.ts';
import { type EditorForm, definitionIn, emptyForm, formOf, readForm, readSchedule } from './editor-form.ts';
import type { FormContext } from './editor-when-form.ts';
import { readOffer } from './editor-offer.ts';
import { Preview } from './editor-preview.ts';
import { InsertMenu } from './editor-insert.ts';
import { savedText } from './editor-saved.ts';
import { type GivenName, givenBy, nameAfter } from './editor-starter-name.ts';
import { StepsEditor } from './editor-steps.ts';

/** Most problems that are read out at once; the summary has them all. */
const ANNOUNCED_MOST = 3;

type Phase =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly problem: ReadProblem }
  /** There is no such automation. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'ready' };

/** What happened elsewhere to the automation while it was edited here. */
type Elsewhere = 'changed' | 'removed' | null;

interface Conflict {
  readonly current: AutomationView;
  readonly mine: Definition;
  readonly theirs: Definition;
  /** Parts for which the person chose; the others have a preference. */
  readonly chosen: ReadonlyMap<ConflictPath, Side>;
}

/**
 * The editor: of a new automation (also from a starter, or as a copy) and of one that exists. Nothing is stored before
 * Save. A draft is kept meanwhile, and what the host refuses is said where it can be mended.
 */
@customElement('rota-editor-page')
export class EditorPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    formStyles,
    switchStyles,
    nextRunsStyles,
    conflictStyles,
    editorStyles,
    stepsStyles,
    css`
      :host {
        min-height: 100%;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The automation to edit; `null` for a new one. */
  @property({ attribute: false }) automationId: AutomationId | null = null;
  /** Fills a new one from a starter. */
  @property({ attribute: false }) starter: string | null = null;
  /** Fills a new one from another automation. */
  @property({ attribute: false }) copyOf: AutomationId | null = null;
  /** Fills a new one from what another app or a link offers. */
  @property({ attribute: false }) offer: string | null = null;

  @state() private phase: Phase = { kind: 'loading' };
  @state() private context: FormContext = { now: Date.now(), zone: ownZone() };
  @state() private form: EditorForm = emptyForm(this.context);
  /** Fields that were left once, so that what is wrong there may be said. */
  @state() private touched: ReadonlySet<FieldId> = new Set();
  /** Saving was tried: everything that is wrong is said. */
  @state() private tried = false;
  /** What the host refused, until the field is changed. */
  @state() private refused: readonly Problem[] = [];
  /** Automations that this one can follow. */
  @state() private others: EditorView['others'] = [];
  @state() private conflict: Conflict | null = null;
  @state() private elsewhere: Elsewhere = null;
  @state() private restoredAt: EpochMs | null = null;
  /** What was offered and could not be read: why. */
  @state() private refusedOffer: string | null = null;
  @state() private saving = false;
  @state() private readOnly = false;
  @query('rota-menu') private menu!: Menu | null;
  @query('rota-dialog.conflict') private conflictDialog!: (HTMLElement & { show(): void }) | null;

  /** The id that a new automation will have, so that saving twice creates it once. */
  #newId = crypto.randomUUID() as AutomationId;
  /** The revision that the form was filled from; `null` for a new automation. */
  #revision: number | null = null;
  /** What the starter gave that the form was filled from; `null`: it was filled from something else. */
  #given: GivenName | null = null;
  /** The form as it is stored, as JSON. */
  #clean = '';
  #opened = 0;
  /** The problem of the schedule that was announced last. */
  #told = '';
  #stops: readonly Unsubscribe[] = [];
  readonly #draft = new DraftKeeper(this);
  readonly #steps = new StepsEditor(this, {
    form: () => this.form,
    set: (change) => {
      this.#set(change);
    },
    menu: () => this.menu,
  });
  readonly #values = new InsertMenu({
    form: () => this.form,
    automationId: () => this.automationId,
    host: () => this.host,
    menu: () => this.menu,
  });
  readonly #preview = new Preview(this, (request) => this.host.preview(request));

  constructor() {
    super();
    new ClearOfBar(this, '.save-bar');
    new LeaveGuard(
      this,
      () => this.#isDirty,
      () =>
        askToConfirm({
          heading: 'Leave without saving?',
          text: 'Nothing is scheduled from what you typed. It stays as a draft in this browser and is here when you come back.',
          confirm: 'Leave',
          cancel: 'Stay',
        }),
    );
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#pressed);
    this.#stops = [
      onTick((now) => {
        const isSameMinute = Math.floor(now / MINUTE_MS) === Math.floor(this.context.now / MINUTE_MS);
        if (!isSameMinute || this.context.zone !== ownZone()) this.#setNow(now);
      }),
      this.host.onHint(({ topic }) => {
        if (topic === 'automations') void this.#lookElsewhere();
      }),
    ];
    // Moved in the document: what is open stays open.
    if (this.hasUpdated && this.phase.kind !== 'ready') void this.#open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#pressed);
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const opens = ['automationId', 'starter', 'copyOf', 'offer'] as const;
    if (opens.some((name) => changed.has(name))) void this.#open();
    if (this.phase.kind === 'ready') this.#preview.show(readSchedule(this.form, this.context));
  }

  protected override updated(): void {
    if (this.conflict !== null) this.conflictDialog?.show();
    if (this.phase.kind !== 'ready') return;
    if (this.automationId !== null) nameScreen(`Edit ${this.form.name}`);
    this.#tellPreview();
  }

  /** What is wrong with a schedule is said when the host has found it, and once. */
  #tellPreview(): void {
    const { state: preview } = this.#preview;
    const problem = preview.kind === 'invalid' ? (preview.problems[0]?.message ?? '') : '';
    if (problem !== this.#told && problem !== '') announce(problem);
    this.#told = problem;
  }

  /** As a call, so that it is asked again after a wait. */
  get #isSaving(): boolean {
    return this.saving;
  }

  get #isDirty(): boolean {
    return this.phase.kind === 'ready' && !this.readOnly && JSON.stringify(this.form) !== this.#clean;
  }

  // Opening

  async #open(): Promise<void> {
    const opened = ++this.#opened;
    this.phase = { kind: 'loading' };
    this.touched = new Set();
    this.tried = false;
    this.refused = [];
    this.conflict = null;
    this.elsewhere = null;
    this.restoredAt = null;
    this.refusedOffer = null;
    this.readOnly = false;
    this.#newId = crypto.randomUUID() as AutomationId;
    this.#given = null;
    this.#setNow(Date.now());
    const id = this.automationId ?? this.copyOf;
    try {
      const stored = id === null ? null : await this.host.getAutomation(id);
      // A starter, a copy or an offer was asked for; an older draft waits until *New automation* is opened.
      const named = this.starter !== null || this.copyOf !== null || this.offer !== null;
      const draft = named ? null : await this.#draft.take(this.automationId ?? 'new');
      if (opened !== this.#opened) return;
      if (id !== null && stored === null && draft === null) {
        this.phase = { kind: 'gone' };
        return;
      }
      this.#fill(stored);
      if (named) this.#draft.begin();
      if (draft !== null) {
        this.form = draft.form;
        this.#revision = draft.revision;
        this.restoredAt = draft.savedAt;
        announce('Your draft is back.');
        if (stored === null && this.automationId !== null) this.elsewhere = 'removed';
        else if (stored !== null && stored.revision !== draft.revision) this.elsewhere = 'changed';
      }
      this.phase = { kind: 'ready' };
      void this.#findOthers();
    } catch (error) {
      if (opened === this.#opened) this.phase = { kind: 'failed', problem: problemOf(error) };
    }
  }

  /** Without them, only following another automation cannot be chosen. */
  async #findOthers(): Promise<void> {
    try {
      const { items } = await this.host.listAutomations();
      this.others = items.filter(({ id }) => id !== this.automationId).map(({ id, name }) => ({ id, name }));
    } catch {
      this.others = [];
    }
  }

  /** Begins with what is stored, with the starter, or with nothing. */
  #fill(stored: AutomationView | null): void {
    this.readOnly = this.automationId !== null && stored?.readOnly === 'newer-data';
    this.#revision = this.automationId === null ? null : (stored?.revision ?? null);
    if (stored !== null) {
      const definition = definitionIn(stored);
      const name = this.automationId === null ? `Copy of ${definition.name}` : definition.name;
      this.form = formOf({ ...definition, name }, this.context);
    } else {
      const definition = this.#suggested();
      this.form = definition === null ? emptyForm(this.context) : formOf(definition, this.context);
    }
    this.#clean = JSON.stringify(this.form);
    this.#steps.reset();
  }

  /** What a new one is filled with: a starter, or what was offered; `null` when there is nothing, or it cannot be read. */
  #suggested(): Definition | null {
    if (this.offer !== null) {
      const read = readOffer(this.offer, this.context.now);
      if (read.kind === 'draft') return read.definition;
      this.refusedOffer = read.reason;
      return null;
    }
    const starter = this.starter === null ? null : findStarter(this.starter);
    this.#given = starter === null ? null : givenBy(starter);
    const parsed = starter === null ? null : parseWith(definitionSchema, starter.definition);
    return parsed?.kind === 'ok' ? parsed.value : null;
  }

  #setNow(now: EpochMs): void {
    this.context = { now, zone: ownZone() };
  }

  async #lookElsewhere(): Promise<void> {
    const id = this.automationId;
    if (id === null || this.phase.kind !== 'ready' || this.saving) return;
    let stored: AutomationView | null;
    try {
      stored = await this.host.getAutomation(id);
    } catch {
      return; // The next hint looks again, and saving finds it out in any case.
    }
    if (id !== this.automationId || this.#isSaving) return;
    if (stored === null) this.elsewhere = 'removed';
    else if (stored.revision === this.#revision) this.elsewhere = null;
    else if (this.#isDirty) this.elsewhere = 'changed';
    else this.#fill(stored);
  }

  // Typing

  readonly #set = (change: Partial<EditorForm>): void => {
    if (this.readOnly) return;
    const before = this.form;
    this.form = { ...before, ...change, ...this.#named(before, change) };
    if (change.anchor === 'now' || change.every !== undefined) this.#setNow(Date.now());
    this.refused = this.refused.filter((problem) => {
      const [placed] = place([problem], before);
      return placed?.field == null || !isChanged(placed.field, before, this.form);
    });
    if (this.#isDirty) {
      this.#draft.keep({
        subject: this.automationId ?? 'new',
        revision: this.#revision,
        savedAt: Date.now(),
        form: this.form,
      });
    } else {
      this.#draft.drop();
      this.restoredAt = null;
    }
  };

  /** The name that a starter gave goes with its address. */
  #named({ name, url }: EditorForm, change: Partial<EditorForm>): { readonly name?: string } {
    if (this.#given === null || change.url === undefined || change.name !== undefined) return {};
    const after = nameAfter(this.#given, { name, url }, change.url);
    return after === null ? {} : { name: after };
  }

  readonly #left = (event: FocusEvent): void => {
    const field = fieldAt(event);
    if (field !== null && !this.touched.has(field)) this.touched = new Set([...this.touched, field]);
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    const saves = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 's';
    if (!saves) return;
    event.preventDefault();
    void this.#save();
  };

  readonly #discard = (): void => {
    const { form, restoredAt } = this;
    this.#draft.drop();
    this.restoredAt = null;
    this.tried = false;
    this.refused = [];
    this.touched = new Set();
    this.form = JSON.parse(this.#clean) as EditorForm;
    showToast({
      text: 'Changes discarded.',
      action: {
        label: 'Undo',
        run: () => {
          this.#set(form);
          this.restoredAt = restoredAt;
        },
      },
    });
  };

  // Saving

  get #problems(): readonly PlacedProblem[] {
    const read = readForm(this.form, this.context);
    const own = read.kind === 'invalid' ? read.problems : [];
    const { state: preview } = this.#preview;
    const named = new Set(own.map(({ path }) => path));
    const others = [...(preview.kind === 'invalid' ? preview.problems : []), ...this.refused];
    const fresh = others.filter(({ path, message }, index) => {
      if (named.has(path)) return false;
      return others.findIndex((other) => other.path === path && other.message === message) === index;
    });
    return place([...own, ...fresh], this.form);
  }

  /** Whether it is to run once when it is saved, to be looked at. */
  #isTrial = false;

  readonly #try = (): void => {
    void this.#save(true);
  };

  readonly #save = async (isTrial = false): Promise<void> => {
    if (this.saving || this.readOnly || this.phase.kind !== 'ready') return;
    this.#isTrial = isTrial;
    this.tried = true;
    this.#setNow(Date.now());
    const read = readForm(this.form, this.context);
    if (read.kind === 'invalid' || this.#problems.length > 0) {
      this.#showProblems();
      return;
    }
    // Asked for from the press on Save and at no other time: browsers want a gesture, and people a reason.
    if (notifies(read.value) && notificationPermission() === 'default') {
      const asked = Notification.requestPermission();
      // A watch does its work without; only a reminder is nothing else.
      if (read.value.action.kind === 'remind') await asked;
    }
    await this.#send(read.value, this.#revision);
  };

  async #send(definition: Definition, expectedRevision: number | null): Promise<void> {
    this.saving = true;
    try {
      const result = await this.host.saveAutomation({
        id: this.automationId ?? this.#newId,
        automation: definition,
        ...(expectedRevision === null ? {} : { expectedRevision }),
      });
      switch (result.kind) {
        case 'saved':
          this.#saved(result.automation);
          break;
        case 'invalid':
          this.conflict = null;
          this.refused = result.problems;
          this.#showProblems();
          break;
        case 'conflict':
          this.#meet(result.current, definition);
          break;
        case 'not-found':
          this.conflict = null;
          this.elsewhere = 'removed';
          announce('It was deleted elsewhere.');
          break;
      }
    } catch (error) {
      showToast({ text: `Not saved. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    } finally {
      this.saving = false;
    }
  }

  #saved(automation: AutomationView): void {
    this.#draft.drop();
    this.conflict = null;
    this.#clean = JSON.stringify(this.form);
    navigate(href.automations());
    if (this.#isTrial) void runNow(this.host, automation, { open: true });
    showToast({
      text: savedText(automation, Date.now(), notificationPermission()),
      ...(automation.enabled
        ? {}
        : { action: { label: 'Resume', run: () => void setEnabled(this.host, automation, true) } }),
    });
  }

  #meet(current: AutomationView, mine: Definition): void {
    const theirs = definitionIn(current);
    if (differences(this.form.kept, mine, theirs).length === 0) {
      // Both sides say the same by now.
      this.#saved(current);
      return;
    }
    this.conflict = { current, mine, theirs, chosen: new Map() };
  }

  readonly #saveChosen = (): void => {
    const { conflict } = this;
    if (conflict === null) return;
    const { current, mine, theirs, chosen } = conflict;
    const found = differences(this.form.kept, mine, theirs);
    const fromTheirs = found.filter((one) => sideOf(one, chosen) === 'theirs').map(({ path }) => path);
    const definition = combine(mine, theirs, new Set(fromTheirs));
    // From here on the edit stands on what is stored now.
    this.#revision = current.revision;
    this.form = { ...formOf(definition, this.context), kept: theirs };
    this.elsewhere = null;
    void this.#send(definition, current.revision);
  };

  /** A deleted automation is saved again as a new one, under another id: the old one's history is its own. */
  readonly #saveAnew = (): void => {
    this.elsewhere = null;
    this.#revision = null;
    this.tried = true;
    const read = readForm(this.form, this.context);
    if (read.kind === 'invalid') this.#showProblems();
    else void this.#send(read.value, null);
  };

  #showProblems(): void {
    const problems = this.#problems;
    const told = problems
      .slice(0, ANNOUNCED_MOST)
      .map(({ field, message }) => (field === null ? message : `${labelOf(field, this.form)}: ${message}`));
    announce([`Not saved. ${countText(problems.length, 'thing')} to mend.`, ...told].join(' '));
    void this.updateComplete.then(() => {
      this.renderRoot.querySelector<HTMLElement>('#summary')?.focus();
    });
  }

  async #goTo(field: FieldId): Promise<void> {
    const inStep = stepFieldOf(field);
    if (inStep !== null && inStep.inner !== null) this.#steps.open(inStep.id);
    await this.updateComplete;
    const control = this.renderRoot.querySelector<HTMLElement>(`#${fieldDomId(field)}`);
    const target =
      control instanceof HTMLFieldSetElement ? (control.querySelector('input') ?? control) : control;
    target?.focus();
    target?.scrollIntoView({ block: 'center' });
  }

  // Showing

  protected override render(): TemplateResult {
    const { phase } = this;
    switch (phase.kind) {
      case 'loading':
        return html`${this.#head('Loading')} ${skeleton(4)}`;
      case 'failed':
        return html`${this.#head('Editor')}
        ${failed(phase.problem, () => {
          void this.#open();
        })}`;
      case 'gone':
        return html`${this.#head('No such automation')}
        ${empty(
          'There is no automation at this address.',
          'It was deleted, or it belongs to another browser. Its history is still among the runs.',
          html`<a class="btn primary" href=${href.automations()}>All automations</a>`,
        )}`;
      case 'ready':
        return this.#editor();
    }
  }

  #head(title: string, more: { readonly below?: TemplateResult; readonly actions?: TemplateResult } = {}) {
    return pageHeader({ title, up: { label: 'Automations', href: href.automations() }, ...more });
  }

  #editor(): TemplateResult {
    const { form } = this;
    const { state: preview } = this.#preview;
    const placed = this.#problems;
    const view: EditorView = {
      form,
      host: this.host,
      context: this.context,
      set: this.#set,
      problem: (field) => (this.#maySay(field) ? problemAt(placed, field) : null),
      notifications: notificationPermission(),
      others: this.others,
      next: preview.kind === 'ok' ? preview.at.map(({ at }) => at) : [],
      id: (name) => `f-${name.replaceAll('.', '-')}`,
      insert: (event) => {
        this.#values.offer(event, null);
      },
      step: null,
      steps: this.#stepsView(placed),
    };
    const fallback = this.automationId === null ? 'New automation' : 'Automation without a name';
    return html`${this.#head(form.name.trim() === '' ? fallback : form.name, {
        below: this.#notices(),
        actions: html`<span class="state" aria-hidden="true">${form.enabled ? 'On' : 'Paused'}</span>
          ${switchControl({
            on: form.enabled,
            label: 'Runs by its schedule',
            disabled: this.readOnly,
            change: () => {
              this.#set({ enabled: !form.enabled });
            },
          })}`,
      })}
      ${this.#summary(placed)}
      <div class="parts-grid" @focusout=${this.#left}>
        ${this.#part('What', 'What is done each time.', whatFields(view))}
        ${this.#part('When', 'Its schedule, and whose clock it follows.', whenFields(view))}
        ${whenAside({ form, context: this.context, preview, isNew: this.automationId === null })}
        ${this.#part('If it cannot run', 'Nothing is dropped in silence: each time it was due has a row.', cannotRunFields(view))}
        ${this.#part('Tell me', 'Of what there is a notification. All are in the list.', notifyFields(view))}
        ${this.#part('Limits', 'How long, and how often again.', limitFields(view))}
      </div>
      ${this.readOnly ? nothing : this.#saveBar()}
      <rota-menu></rota-menu> ${this.conflict === null ? nothing : this.#conflictDialog(this.conflict)}`;
  }

  #stepsView(placed: readonly PlacedProblem[]): StepsView {
    const { openId, toggle, add, move, more, toOne, set } = this.#steps;
    const problems = (id: number): number =>
      placed.filter(({ field }) => field !== null && stepFieldOf(field)?.id === id && this.#maySay(field))
        .length;
    const insert = (event: Event, place: number): void => {
      this.#values.offer(event, place);
    };
    return { openId, toggle, add, move, more, toOne, set, problems, insert };
  }

  /** A field is not called wrong while it is typed in for the first time. */
  #maySay(field: FieldId): boolean {
    return this.tried || this.touched.has(field) || field === 'expression';
  }

  #part(title: string, what: string, fields: TemplateResult): TemplateResult {
    const id = `part-${title.replaceAll(' ', '-').toLowerCase()}`;
    return html`<section class="part" aria-labelledby=${id}>
      <div class="part-head">
        <h2 id=${id}>${title}</h2>
        <p>${what}</p>
      </div>
      <fieldset class="fields" ?disabled=${this.readOnly}>
        <legend class="sr-only">${title}</legend>
        ${fields}
      </fieldset>
    </section>`;
  }

  #notices(): TemplateResult {
    return html`${this.offer === null ? nothing : this.#offerNotice()}
    ${
      this.readOnly
        ? html`<p class="note" role="status">
            ${icon('circle-info')}<span
              >A newer version of Rota wrote this automation. This tab shows it and does not change it; reload
              to get the newer version.</span
            >
          </p>`
        : nothing
    }
    ${
      this.restoredAt === null
        ? nothing
        : html`<p class="note" role="status">
            ${icon('undo')}<span
              >Your draft from ${namedDateTime(this.restoredAt, this.context.now)} is back. Nothing of it is
              saved yet.</span
            >
            <button type="button" class="link" @click=${this.#discard}>Discard it</button>
          </p>`
    }
    ${
      this.elsewhere === 'changed'
        ? html`<p class="note warn" role="status">
            ${icon('triangle-exclamation')}<span
              >It was changed elsewhere since you opened it. Saving shows both versions first.</span
            >
          </p>`
        : nothing
    }
    ${
      this.elsewhere === 'removed'
        ? html`<p class="note warn" role="alert">
            ${icon('triangle-exclamation')}<span
              >It was deleted elsewhere. What you typed is still here.</span
            >
            <button type="button" class="link" @click=${this.#saveAnew}>Save it as a new one</button>
          </p>`
        : nothing
    }`;
  }

  #offerNotice(): TemplateResult {
    return this.refusedOffer === null
      ? html`<p class="note" role="status">
          ${icon('circle-info')}<span
            >This came from another app or a link. Look at it before you save it: nothing is stored or sent
            before, and it is paused until you switch it on.</span
          >
        </p>`
      : html`<p class="note warn" role="alert">
          ${icon('triangle-exclamation')}<span
            >${this.refusedOffer} You can begin with an empty one here.</span
          >
        </p>`;
  }

  #summary(placed: readonly PlacedProblem[]): TemplateResult | typeof nothing {
    if (!this.tried || placed.length === 0) return nothing;
    return html`<div class="summary" id="summary" tabindex="-1" role="group" aria-labelledby="summary-head">
      <h2 id="summary-head">${countText(placed.length, 'thing')} to mend before this can be saved</h2>
      <ul>
        ${placed.map(({ field, path, message }) =>
          field === null
            ? html`<li>${path === '' ? '' : html`<code>${path}</code>: `}${message}</li>`
            : html`<li>
                <button
                  type="button"
                  class="link"
                  @click=${() => {
                    void this.#goTo(field);
                  }}
                >
                  ${labelOf(field, this.form)}</button
                >: ${message}
              </li>`,
        )}
      </ul>
    </div>`;
  }

  #saveBar(): TemplateResult {
    const dirty = this.#isDirty;
    return html`<div class="save-bar" role="group" aria-label="Save">
      <p class="quiet small">${this.#draftText(dirty)}</p>
      ${dirty ? html`<button type="button" class="btn" @click=${this.#discard}>Discard</button>` : nothing}
      <button
        type="button"
        class="btn"
        title="Saves it, runs it once and shows how that goes"
        ?disabled=${this.saving}
        @click=${this.#try}
      >
        Try it
      </button>
      <button
        type="button"
        class="btn primary"
        aria-keyshortcuts="Control+S Meta+S"
        ?disabled=${this.saving}
        @click=${() => void this.#save()}
      >
        ${this.saving ? 'Saving…' : 'Save'} <kbd>${SAVE_KEYS}</kbd>
      </button>
    </div>`;
  }

  #draftText(dirty: boolean): string {
    if (!dirty)
      return this.automationId === null ? 'Nothing is scheduled before you save.' : 'Saved as it stands.';
    switch (this.#draft.stored) {
      case true:
        return 'Not saved yet. The draft is kept in this browser.';
      case false:
        return 'Not saved yet, and this browser has no room for a draft.';
      case null:
        return 'Not saved yet.';
    }
  }

  #conflictDialog(conflict: Conflict): TemplateResult {
    const { mine, theirs, chosen } = conflict;
    const found = differences(this.form.kept, mine, theirs);
    return conflictView({
      differences: found,
      chosen,
      now: this.context.now,
      busy: this.saving,
      choose: (path, side) => {
        this.conflict = { ...conflict, chosen: new Map([...chosen, [path, side]]) };
      },
      chooseAll: (side) => {
        this.conflict = { ...conflict, chosen: new Map(found.map(({ path }) => [path, side])) };
      },
      save: this.#saveChosen,
      close: () => {
        this.conflict = null;
      },
    });
  }
}

const SAVE_KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘S' : 'Ctrl S';

/** Whether the browser lets Rota notify; `null` where there is nothing to ask. */
function notificationPermission(): NotificationPermission | null {
  return 'Notification' in globalThis ? Notification.permission : null;
}

/** Whether a run may have something to show outside of Rota that the person asked for. */
function notifies({ action, rules: { notify } }: Definition): boolean {
  if (notify !== undefined) {
    const { failure, result } = notifyRuleOf({ notify });
    if (failure.kind !== 'never' || result !== 'never') return true;
  }
  return actionsOf(action).some((one) =>
    one.kind === 'watch'
      ? one.notify.change || one.notify.gone || one.notify.unchangedDays !== undefined
      : one.kind === 'remind',
  );
}

/** The field that an event comes from, by the id of its control. */
function fieldAt(event: Event): FieldId | null {
  for (const target of event.composedPath()) {
    if (!(target instanceof HTMLElement)) return null;
    const match = /^f-((?:steps-\d+-)?(?:headers-\d+|[a-zA-Z]+))(?:-value)?$/.exec(target.id);
    if (match !== null) return (match[1] ?? '').replaceAll('-', '.') as FieldId;
  }
  return null;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-editor-page': EditorPage;
  }
}
