import type { EpochMs } from './time.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** UUID of an automation. */
export type AutomationId = Branded<'AutomationId'>;
/** UUIDv7 of a run or of a missed or skipped row, so that keys grow with time. */
export type RunId = Branded<'RunId'>;
/** UUID of one scheduler instance; fresh at each start. */
export type HostId = Branded<'HostId'>;
/** UUID of one tab's life; in memory only, because duplicating a tab copies session storage. */
export type TabId = Branded<'TabId'>;
/** UUID of a changing call, made by its caller, so that a repeat is answered and not repeated. */
export type CommandId = Branded<'CommandId'>;

/** How many characters a UUID has. */
export const UUID_LENGTH = 36;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `text` is a UUID in its canonical lower-case form, of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Where ids made at `at` or later begin as text; those made before it sort below. Not an id itself. */
export function idFloor(at: EpochMs): string {
  if (at >= ID_TIME_END) return '\uffff';
  const time = Math.max(0, at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The first time that does not fit into an id. */
const ID_TIME_END: EpochMs = 2 ** 48;

/** How many random bytes {@link uuidV7} wants. */
export const UUID_V7_RANDOM_BYTES = 10;

/**
 * A UUIDv7 (RFC 9562, section 5.7): 48 bits of `at`, then random bits. Ids made later in time sort later as text.
 *
 * @param random {@link UUID_V7_RANDOM_BYTES} random bytes.
 */
export function uuidV7(at: EpochMs, random: Uint8Array): string {
  const time = Math.max(0, at).toString(16).padStart(12, '0');
  const byte = (index: number): number => random[index] ?? 0;
  const hex = (value: number): string => value.toString(16).padStart(2, '0');
  const a = hex(0x70 | (byte(0) & 0x0f)) + hex(byte(1));
  const b = hex(0x80 | (byte(2) & 0x3f)) + hex(byte(3));
  const c = Array.from({ length: 6 }, (_, i) => hex(byte(4 + i))).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${b}-${c}`;
}
