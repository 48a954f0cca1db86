/**
 * Which states of the explored world are one. What no decision, no invariant to come and no step looks at is left out: how
 * ended runs ended, when what is claimed was claimed, ids and fences as numbers. Hosts may change places, and so may
 * automations with the same rules.
 */
import type { ClaimTarget } from './claim.ts';
import {
  type Control,
  type HostState,
  PERIOD_MS,
  type Scope,
  type State,
  type Thread,
  active,
  isPost,
  rowOf,
} from './exploration-world.testing.ts';
import type { HostId } from './ids.ts';
import type { LeaseName } from './lease.ts';
import { type Occurrence, isByHand } from './occurrence.ts';
import { type ActiveRun, isActive } from './run.ts';

/** Makes a text of each state of `scope` that two states share only if they have the same future. */
export function keysOf(scope: Scope): (state: State) => string {
  const inOrders = ordersOf(scope).map((places) => new InOrder(scope, places));
  return (state) => {
    let least: string | null = null;
    for (const inOrder of inOrders) {
      const key = inOrder.keyOf(state);
      if (least === null || key < least) least = key;
    }
    return least ?? '';
  };
}

/** The orders of automations that make no difference: for each automation, its place. */
function ordersOf({ automations, deliveries }: Scope): readonly (readonly number[])[] {
  const plans = new Set(automations.map((plan) => JSON.stringify(plan)));
  const asIs = automations.map((_, index) => index);
  // A person asks for a run of the first.
  return plans.size === 1 && asIs.length === 2 && deliveries === undefined ? [asIs, [1, 0]] : [asIs];
}

/** The texts of states with the automations in one order. Parts that did not change are not made again. */
class InOrder {
  readonly #scope: Scope;
  readonly #places: readonly number[];
  readonly #names = new Map<string, string>();
  #rows: { readonly state: State; readonly text: string } | null = null;
  readonly #hosts: { readonly state: State; readonly host: HostState; readonly text: string }[] = [];

  constructor(scope: Scope, places: readonly number[]) {
    this.#scope = scope;
    this.#places = places;
  }

  keyOf(state: State): string {
    const { now, hosts, left } = state;
    if (this.#rows === null || !sameRows(this.#rows.state, state))
      this.#rows = { state, text: this.#rowsOf(state) };
    const texts = hosts.map((host, slot) => {
      const known = this.#hosts[slot];
      if (known?.host === host && sameRows(known.state, state) && known.state.leases === state.leases)
        return known.text;
      const text = this.#host(state, host, slot);
      this.#hosts[slot] = { state, host, text };
      return text;
    });
    const { crashes, hangs, giveUps, rewinds, cancels, deliveries, impatience } = left;
    let key = `${Math.floor(now / PERIOD_MS)}${this.#scope.rewinds === undefined ? '' : `/${now}`}`;
    key += `|${crashes}${hangs}${giveUps}${rewinds}${cancels}${deliveries}${impatience}|${this.#rows.text}`;
    let least: string | null = null;
    for (const slots of sortings(texts)) {
      let rest = '';
      for (const slot of slots) rest += `;${texts[slot] ?? ''}${this.#seenBy(state, hosts[slot], slots)}`;
      if (least === null || rest < least) least = rest;
    }
    return key + (least ?? '');
  }

  /** The ledger, the agenda and the epochs. */
  #rowsOf(state: State): string {
    const { automations, agenda } = state;
    const epochs = automations.map(({ id, epoch }) => `${this.#letter(id)}${epoch}`);
    const pending = agenda.map(({ key, cause, dueAt }) =>
      cause === 'schedule' ? this.#name(key) : `${this.#name(key)}+${until(dueAt, state)}`,
    );
    return `${listed(epochs)}|${listed(pending)}|${listed(this.#ledger(state))}`;
  }

  #ledger(state: State): string[] {
    // Rows of instants that are behind the agenda are looked at again only where it can go back.
    const keepsAll = this.#scope.rewinds !== undefined || this.#scope.deliveries !== undefined;
    const texts: string[] = [];
    for (const row of state.ledger) {
      const happened = 'definition' in row && isPost(row) ? `e${state.effects.get(row.id) ?? 0}` : '';
      if (isActive(row)) {
        const claimedIn = Math.floor(row.claimedAt / PERIOD_MS);
        const cancel = row.cancelRequested === undefined ? '' : 'c';
        const rest = `${cancel}${row.effect ?? ''}${happened}${this.#lease(row.lease)}`;
        texts.push(`${this.#attempt(row)}=${claimedIn}+${until(row.leaseDeadline, state)}${rest}`);
      } else if (keepsAll) {
        texts.push(this.#attempt(row) + ('covers' in row ? `~${row.covers.from / PERIOD_MS}` : happened));
      } else if (happened !== '') {
        texts.push(this.#attempt(row) + happened);
      }
    }
    return texts;
  }

  #host(state: State, host: HostState, slot: number): string {
    if (host.kind === 'dead') return 'x';
    const { control, threads, hung, id } = host;
    let text = `${hung ? 'z' : ''}${this.#control(state, control)} `;
    text += listed(threads.map((thread) => this.#thread(state, thread)));
    if (this.#scope.giveUps !== undefined || this.#scope.without !== undefined) {
      // Runs that a living host has not in hand any more.
      const given = active(state).filter(
        (run) => run.host.id === id && !threads.some((thread) => thread.run.id === run.id),
      );
      text += ` ${listed(given.map((run) => this.#attempt(run)))}`;
    }
    if (this.#scope.without !== undefined) {
      // Else what a host holds is said by what it does.
      const held = [...state.leases].flatMap(([lease, holder]) =>
        holder === slot ? [this.#lease(lease)] : [],
      );
      text += ` ${listed(held)}`;
    }
    return text;
  }

  #thread(state: State, thread: Thread): string {
    const { run, at } = thread;
    const over = this.#over(state, run);
    // The row of an active run names its lease.
    const lease = over === '' ? '' : this.#lease(run.lease);
    return `${this.#attempt(run)}${at}${at === 'ended' ? thread.ending.kind : ''}${over}${lease}`;
  }

  #control(state: State, control: Control): string {
    const { at } = control;
    switch (at) {
      case 'idle':
        return '';
      case 'asking':
        return `${at}${this.#target(control.target)}${control.names.map((name) => this.#lease(name)).join()}`;
      case 'looking':
        return `${at}${this.#target(control.target)}${this.#lease(control.lease)}`;
      case 'claiming': {
        const room = this.#scope.without !== undefined && control.hadRoom ? 'r' : '';
        return `${at}${this.#target(control.target)}${this.#lease(control.lease)}${room}`;
      }
      case 'asking-to-recover':
      case 'recovering':
      case 'fencing': {
        const { run } = control;
        const rest = `${this.#over(state, run)}${this.#lease(run.lease)}+${until(run.leaseDeadline, state)}`;
        return `${at}${this.#attempt(run)}${rest}`;
      }
      case 'stealing':
      case 'releasing':
        return at + this.#lease(control.lease);
    }
  }

  /** Whom a host that is about to claim saw alive, of those that count: hosts, by their place, and hosts of active runs. */
  #seenBy(state: State, host: HostState | undefined, slots: readonly number[]): string {
    if (host?.kind !== 'alive' || host.control.at !== 'claiming') return '';
    const { live } = host.control;
    const isSeen = (id: HostId): string => (live.includes(id) ? '1' : '0');
    let text = ' ';
    for (const slot of slots) {
      const one = state.hosts[slot];
      text += one?.kind === 'alive' ? isSeen(one.id) : '';
    }
    const runs = active(state).map((run) => this.#attempt(run) + isSeen(run.host.id));
    return `${text} ${listed(runs)}`;
  }

  #over(state: State, run: ActiveRun): string {
    const row = rowOf(state, run.id);
    return row !== null && isActive(row) ? '' : '!';
  }

  #target(target: ClaimTarget): string {
    return target.kind === 'row' ? this.#name(target.key) : '!';
  }

  #letter(id: string): string {
    return 'ABC'[this.#places[Number(id.slice(35, 36))] ?? 0] ?? '';
  }

  #attempt({ occurrence, attempt }: { readonly occurrence: Occurrence; readonly attempt: number }): string {
    return attempt === 1 ? this.#name(occurrence) : `${this.#name(occurrence)}#${attempt}`;
  }

  /** A short name of an occurrence or of an agenda key. */
  #name(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      const [occurrence = '', attempt = '1'] = text.split('#');
      const at = isByHand(occurrence as Occurrence) ? '!' : Number(occurrence.slice(37)) / PERIOD_MS;
      name = `${this.#letter(text)}${at}${attempt === '1' ? '' : `#${attempt}`}`;
      this.#names.set(text, name);
    }
    return name;
  }

  #lease(lease: LeaseName | null): string {
    if (lease === null) return '-';
    let name = this.#names.get(lease);
    if (name === undefined) {
      const [, , id = '', ...rest] = lease.split('/');
      name = this.#letter(id) + rest.join('/');
      this.#names.set(lease, name);
    }
    return name;
  }
}

/** The orders in which `texts` are sorted: more than one where some are the same. */
function sortings(texts: readonly string[]): readonly (readonly number[])[] {
  const sorted = texts.map((_, at) => at).sort((a, b) => compare(texts[a] ?? '', texts[b] ?? ''));
  let all: number[][] = [sorted];
  for (let at = 1; at < sorted.length; at++) {
    for (let other = at - 1; other >= 0 && texts[sorted[at] ?? 0] === texts[sorted[other] ?? 0]; other--) {
      all = all.flatMap((order) => [order, swapped(order, other, at)]);
    }
  }
  return all;
}

function swapped(order: readonly number[], a: number, b: number): number[] {
  return order.map((slot, at) => (at === a ? order[b] : at === b ? order[a] : slot) ?? slot);
}

/** Whether what is made of the rows of `a` holds for those of `b`. */
function sameRows(a: State, b: State): boolean {
  return (
    a.ledger === b.ledger &&
    a.agenda === b.agenda &&
    a.automations === b.automations &&
    a.effects === b.effects &&
    a.now === b.now
  );
}

function until(at: number, { now }: State): number {
  return Math.max(0, at - now);
}

function listed(texts: string[]): string {
  return texts.length < 2 ? (texts[0] ?? '') : texts.sort(compare).join();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
