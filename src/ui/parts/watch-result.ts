import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FeedItem, RunId, SnapshotPlace, WatchFinding, WatchOutput } from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import { type Diff, type DiffRow, diffOf } from '../pages/watch-diff.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { countText, numberText } from '../text/counts.ts';
import { namedDateTime } from '../text/dates.ts';
import './body-view.ts';
import { choiceField, formStyles, selectField } from './form-field.ts';
import { outsideAddress } from './outside-address.ts';
import { shared } from './styles.ts';

/** Most rows that are shown at once: more make a browser slow. */
const ROWS_MOST = 2_000;

/** The text of a snapshot, or that it is not there any more. */
type Loaded =
  { readonly kind: 'text'; readonly text: string; readonly cut: boolean } | { readonly kind: 'missing' };

/**
 * What a watch found, and how it differs from any other snapshot of the same automation that is kept:
 * `<rota-watch-result .host=${host} .run=${run}>`. Everything that came from outside is shown as text.
 */
@customElement('rota-watch-result')
export class WatchResult extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: block;
        margin-bottom: var(--space-5);
      }

      .whole {
        margin-top: var(--space-3);
      }

      .whole > summary {
        width: fit-content;
        min-height: 24px;
        color: var(--act);
        font-size: var(--size-s);
        cursor: pointer;
      }

      h2 {
        margin-bottom: var(--space-3);
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      .choices {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: var(--space-3) var(--space-4);
        margin-bottom: var(--space-3);
      }

      .items {
        display: grid;
        gap: 2px;
        margin-bottom: var(--space-4);
      }

      .items li {
        padding: 6px 0;
        border-bottom: 1px solid var(--rule);
        overflow-wrap: anywhere;
      }

      .diff {
        max-height: min(70vh, 640px);
        overflow: auto;
        border: 1px solid var(--rule);
        border-radius: var(--radius-s);
        font: var(--size-s) / 1.5 var(--font-mono);
      }

      .row {
        display: grid;
        grid-template-columns: 2ch minmax(0, 1fr);
        gap: 1ch;
        padding: 1px 10px;
        overflow-wrap: anywhere;
      }

      .row > :last-child {
        white-space: pre-wrap;
      }

      .row.added,
      ins {
        background: var(--ok-soft);
        color: var(--ink);
      }

      .row.removed,
      del {
        background: var(--bad-soft);
        color: var(--ink);
      }

      .row .sign {
        color: var(--ink-2);
        user-select: none;
      }

      .row ins,
      .row del {
        text-decoration-thickness: 1px;
      }

      .row.added ins,
      .row.removed del {
        text-decoration: none;
      }

      .row.gap {
        background: var(--sunk);
        color: var(--ink-2);
      }

      .count {
        margin-bottom: var(--space-2);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** A run whose output is that of a watch that found something. */
  @property({ attribute: false }) run!: RunDetail;
  /** All snapshots that are known, newest first. */
  @state() private places: readonly SnapshotPlace[] = [];
  @state() private from: RunId | null = null;
  @state() private to: RunId | null = null;
  @state() private by: 'lines' | 'words' = 'lines';
  @state() private loaded: ReadonlyMap<RunId, Loaded> = new Map();
  #shown: RunId | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('run') || this.#shown === this.run.id) return;
    this.#shown = this.run.id;
    const { output } = this.run;
    if (output?.kind !== 'watch' || output.finding === undefined) return;
    const { finding, earlier } = output;
    const own =
      'snapshot' in finding ? [{ runId: this.run.id, at: this.run.settledAt ?? this.run.claimedAt }] : [];
    this.places = [...own, ...earlier];
    this.loaded = new Map(
      'snapshot' in finding ? [[this.run.id, { kind: 'text' as const, ...finding.snapshot }]] : [],
    );
    this.to = this.places[0]?.runId ?? null;
    this.from = this.places[1]?.runId ?? null;
    void this.#findLater();
    void this.#load(this.from);
    void this.#load(this.to);
  }

  /** Snapshots that were taken after this run are named by the newest run that looked. */
  async #findLater(): Promise<void> {
    const { id, automationId } = this.run;
    try {
      const { items } = await this.host.listRuns({ automationId, status: 'succeeded', limit: 1 });
      const [newest] = items;
      if (newest === undefined || newest.id <= id) return;
      const detail = await this.host.getRun(newest.id);
      if (this.run.id !== id || detail === null || detail.output?.kind !== 'watch') return;
      const { finding, earlier } = detail.output;
      const own = finding !== undefined && 'snapshot' in finding ? [placeOf(detail)] : [];
      const known = new Map([...own, ...earlier, ...this.places].map((place) => [place.runId, place]));
      this.places = [...known.values()].sort((a, b) => (a.runId < b.runId ? 1 : -1));
    } catch {
      // Those that this run knows of are there.
    }
  }

  async #load(runId: RunId | null): Promise<void> {
    if (runId === null || this.loaded.has(runId)) return;
    let text: Loaded = { kind: 'missing' };
    try {
      const output = (await this.host.getRun(runId))?.output;
      const finding = output?.kind === 'watch' ? output.finding : undefined;
      if (finding !== undefined && 'snapshot' in finding) text = { kind: 'text', ...finding.snapshot };
    } catch {
      // It is told as missing; the next choice asks again.
    }
    this.loaded = new Map([...this.loaded, [runId, text]]);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { output } = this.run;
    if (output?.kind !== 'watch' || output.finding === undefined) return nothing;
    return html`${headOf(output.finding)} ${this.#comparison(output)}`;
  }

  #comparison({ finding }: WatchOutput): TemplateResult | typeof nothing {
    if (this.to === null) return nothing;
    const newest = this.loaded.get(this.to);
    if (this.from === null) return newest === undefined ? nothing : snapshotView(newest, 'What was found');
    const before = this.loaded.get(this.from);
    return html`<section aria-label="Comparison">
      <div class="choices">
        ${this.#choice('watch-from', 'Compare', this.from, (runId) => {
          this.from = runId;
        })}
        ${this.#choice('watch-to', 'with', this.to, (runId) => {
          this.to = runId;
        })}
        ${choiceField({
          id: 'watch-by',
          label: 'By',
          value: this.by,
          options: [
            { value: 'lines', label: 'Lines' },
            { value: 'words', label: 'Words' },
          ],
          onChange: (by) => {
            this.by = by;
          },
        })}
      </div>
      ${before === undefined || newest === undefined ? html`<p class="quiet">Loading…</p>` : this.#between(before, newest)}
      ${
        finding?.kind === 'first' || newest === undefined
          ? nothing
          : html`<details class="whole">
              <summary>The whole snapshot</summary>
              ${snapshotView(newest, 'Snapshot')}
            </details>`
      }
    </section>`;
  }

  #choice(id: string, label: string, value: RunId, onChange: (runId: RunId) => void): TemplateResult {
    const now = Date.now();
    return selectField<RunId>({
      id,
      label,
      value,
      width: 'medium',
      options: this.places.map(({ runId, at }) => ({
        value: runId,
        label: `${namedDateTime(at, now)}${runId === this.run.id ? ', this run' : ''}`,
      })),
      onChange: (runId) => {
        onChange(runId);
        void this.#load(runId);
      },
    });
  }

  #between(before: Loaded, after: Loaded): TemplateResult {
    if (before.kind === 'missing' || after.kind === 'missing')
      return html`<p class="quiet">That snapshot is not kept any more.</p>`;
    const diff = diffOf(before.text, after.text, this.by);
    if (diff.rows.length === 0) {
      return html`<p class="quiet">
        ${this.from === this.to ? 'Both are the same snapshot.' : 'These two are the same, word for word.'}
      </p>`;
    }
    return diffView(diff);
  }
}

function placeOf({ id, settledAt, claimedAt }: RunDetail): SnapshotPlace {
  return { runId: id, at: settledAt ?? claimedAt };
}

function headOf(finding: WatchFinding): TemplateResult {
  switch (finding.kind) {
    case 'first':
      return html`<h2>First look</h2>`;
    case 'changed':
      return html`<h2>What changed</h2>`;
    case 'new-items':
      return html`<h2>${countText(finding.count, 'new item')}</h2>
        <ul class="items">
          ${finding.items.map((item) => html`<li>${itemView(item)}</li>`)}
        </ul>
        ${
          finding.count > finding.items.length
            ? html`<p class="quiet">and ${numberText(finding.count - finding.items.length)} more</p>`
            : nothing
        }`;
    case 'same':
      return html`<h2>No change</h2>
        <p class="count quiet">
          ${finding.below === undefined ? 'It is' : 'But for less than counts, it is'} as
          <a href=${href.run(finding.before.runId)}>this run</a> found it.
        </p>`;
    case 'gone':
      return html`<h2>Gone</h2>
        <p class="count quiet">
          Nothing matches any more. <a href=${href.run(finding.before.runId)}>This run</a> found it last as it
          is below.
        </p>`;
    case 'back':
      return html`<h2>There again</h2>`;
  }
}

/** What a feed calls a link is one only where it leads out of Rota by a plain address; else it is text. */
function itemView({ title, link }: FeedItem): TemplateResult {
  const address = outsideAddress(link);
  return address !== null
    ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${title}</a>`
    : html`${title}${link === '' ? nothing : html` <span class="quiet">${link}</span>`}`;
}

function snapshotView(snapshot: Loaded, label: string): TemplateResult {
  if (snapshot.kind === 'missing') return html`<p class="quiet">That snapshot is not kept any more.</p>`;
  return html`${
    snapshot.text === ''
      ? html`<p class="quiet">There was no text.</p>`
      : html`<rota-body-view
          .text=${snapshot.text}
          contentType="text/plain"
          .label=${label}
          name="snapshot"
        ></rota-body-view>`
  }
  ${snapshot.cut ? html`<p class="warn small">It was too long; only its beginning was kept and compared.</p>` : nothing}`;
}

function diffView({ rows, added, removed }: Diff): TemplateResult {
  const shown = rows.slice(0, ROWS_MOST);
  return html`<p class="count">${countText(added, 'line')} added, ${numberText(removed)} removed</p>
    <div class="diff" tabindex="0" role="region" aria-label="Differences">${shown.map(rowView)}</div>
    ${
      rows.length > shown.length
        ? html`<p class="quiet small">
            The first ${numberText(shown.length)} of ${numberText(rows.length)} rows.
          </p>`
        : nothing
    }`;
}

/** Written without white space between tags: it would be shown. */
function rowView(row: DiffRow): TemplateResult {
  switch (row.kind) {
    case 'same':
      return html`<div class="row"><span class="sign"></span><span>${row.text}</span></div>`;
    case 'added':
      return html`<div class="row added"><span class="sign">+</span><ins>${row.text}</ins></div>`;
    case 'removed':
      return html`<div class="row removed"><span class="sign">−</span><del>${row.text}</del></div>`;
    case 'mixed':
      return html`<div class="row mixed">
        <span class="sign">±</span
        ><span
          >${row.parts.map(({ kind, text }) =>
            kind === 'new' ? html`<ins>${text}</ins>` : kind === 'old' ? html`<del>${text}</del>` : text,
          )}</span
        >
      </div>`;
    case 'gap':
      return html`<div class="row gap">
        <span class="sign">⋯</span><span>${countText(row.count, 'line')} the same</span>
      </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-watch-result': WatchResult;
  }
}
