/**
 * Ids that are made of a text and not of chance: what comes in from a file without ids of ours gets the same one each time,
 * so that the same file twice is known again. They prove nothing and keep nothing secret.
 */
import type { EpochMs } from './time.ts';
import { UUID_V7_RANDOM_BYTES, uuidV7 } from './ids.ts';

/** Where each of the four parts of a sum begins: any four that differ. */
const SEEDS = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667];

/** Sixteen bytes that are made of `text`. Spread well, and no defence against somebody who looks for two of the same. */
function sumOf(text: string): Uint8Array {
  const parts = Uint32Array.from(SEEDS);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    for (let lane = 0; lane < 4; lane++) {
      const next = (parts[(lane + 1) % 4] ?? 0) >>> 15;
      parts[lane] = Math.imul((parts[lane] ?? 0) ^ code ^ next, 0x01000193 + lane * 2);
    }
  }
  for (let round = 0; round < 8; round++) {
    const lane = round % 4;
    let value = ((parts[lane] ?? 0) ^ (parts[(lane + 3) % 4] ?? 0)) + text.length + round;
    value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    parts[lane] = value ^ (value >>> 16);
  }
  return new Uint8Array(parts.buffer);
}

/** The UUID of `text` (version 8: RFC 9562, section 5.8). */
export function derivedUuid(text: string): string {
  const bytes = sumOf(text);
  const hex = (index: number, keep = 0xff, set = 0): string =>
    (((bytes[index] ?? 0) & keep) | set).toString(16).padStart(2, '0');
  const group = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => hex(from + index)).join('');
  const version = hex(6, 0x0f, 0x80) + hex(7);
  const variant = hex(8, 0x3f, 0x80) + hex(9);
  return [group(0, 4), group(4, 6), version, variant, group(10, 16)].join('-');
}

/** The UUIDv7 of `text` at `at`: it sorts among the ids that were made then. */
export function derivedUuidAt(at: EpochMs, text: string): string {
  return uuidV7(at, sumOf(text).slice(0, UUID_V7_RANDOM_BYTES));
}
