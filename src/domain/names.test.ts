/** Ids, occurrences and lock names: constants for ever, because builds of any age must mean the same by them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UUID_LENGTH, UUID_V7_RANDOM_BYTES, isUuid, uuidV7, type TabId } from './ids.ts';
import { hostLock, hostOfLock, leaseName, tabLock } from './lease.ts';
import {
  agendaKey,
  instantOf,
  isAskedFor,
  isByHand,
  manualOccurrence,
  partsOfKey,
  scheduledOccurrence,
} from './occurrence.ts';
import { MONDAY, automationId, commandId, hostId, manualRow, retryRow } from './samples.testing.ts';

const bytes = fc.uint8Array({ minLength: UUID_V7_RANDOM_BYTES, maxLength: UUID_V7_RANDOM_BYTES });
const instant = fc.nat(2 ** 45);

describe('a UUIDv7', () => {
  test('is a UUID of version 7 and variant 10, whatever the chance', () => {
    fc.assert(
      fc.property(instant, bytes, (at, random) => {
        const id = uuidV7(at, random);
        expect(isUuid(id)).toBe(true);
        expect(id).toMatch(/^.{14}7.{4}[89ab]/);
        expect(id).toHaveLength(UUID_LENGTH);
      }),
    );
  });

  test('holds its time, so that text sorts as time does', () => {
    expect(uuidV7(0x017f22e279b0, new Uint8Array(10).fill(255))).toBe('017f22e2-79b0-7fff-bfff-ffffffffffff');
    fc.assert(
      fc.property(instant, instant, bytes, bytes, (a, b, one, other) => {
        fc.pre(a < b);
        expect(uuidV7(a, one) < uuidV7(b, other)).toBe(true);
      }),
    );
  });

  test('is valid with a clock before 1970', () => {
    expect(isUuid(uuidV7(-1, new Uint8Array(10)))).toBe(true);
  });
});

test.each([
  '',
  'A0000000-0000-4000-8000-000000000001',
  '-0000000-0000-4000-8000-000000000001',
  `${automationId(1)} `,
])('"%s" is no UUID', (text) => {
  expect(isUuid(text)).toBe(false);
});

describe('an occurrence', () => {
  test('is named as the protocol names it', () => {
    expect(scheduledOccurrence(automationId(1), MONDAY)).toBe(`${automationId(1)}@${MONDAY}`);
    expect(manualOccurrence(automationId(1), commandId(2))).toBe(`${automationId(1)}!${commandId(2)}`);
  });

  test('and its attempt are what an agenda key is made of', () => {
    for (const occurrence of [
      scheduledOccurrence(automationId(1), MONDAY),
      manualOccurrence(automationId(1), commandId(2)),
    ]) {
      for (const attempt of [1, 2, 10]) {
        expect(partsOfKey(agendaKey(occurrence, attempt))).toEqual({
          automationId: automationId(1),
          occurrence,
          attempt,
        });
      }
    }
  });

  test('of a schedule has its instant, and one by hand has none', () => {
    expect(instantOf(scheduledOccurrence(automationId(1), MONDAY))).toBe(MONDAY);
    expect(instantOf(manualOccurrence(automationId(1), commandId(2)))).toBeNull();
    expect([
      isByHand(scheduledOccurrence(automationId(1), MONDAY)),
      isByHand(manualOccurrence(automationId(1), commandId(2))),
    ]).toEqual([false, true]);
  });

  test('was asked for by a person when its cause or its name says so', () => {
    const byHand = manualRow(MONDAY);
    const retry = retryRow(MONDAY, MONDAY);
    expect(
      [byHand, { ...byHand, cause: 'retry' as const }, retry, { ...retry, cause: 'manual' as const }].map(
        isAskedFor,
      ),
    ).toEqual([true, true, false, true]);
  });
});

describe('a lock', () => {
  test('is named for ever', () => {
    expect(leaseName(automationId(1), 3)).toBe(`rota/automation/${automationId(1)}/3`);
    expect(leaseName(automationId(1), 3, 0)).toBe(`rota/automation/${automationId(1)}/3/0`);
    expect(hostLock(hostId(1))).toBe(`rota/host/${hostId(1)}`);
    expect(tabLock('t' as TabId)).toBe('rota/tab/t');
  });

  test('of a host names it, and no other lock does', () => {
    expect(hostOfLock(hostLock(hostId(1)))).toBe(hostId(1));
    for (const name of [
      leaseName(automationId(1), 0),
      tabLock('t' as TabId),
      'rota/duty',
      'rota/host/',
      ' rota/host/x',
    ]) {
      expect(hostOfLock(name)).toBeNull();
    }
  });

  test('of one lease is no other’s: epochs, slots and automations never meet', () => {
    const names = [0, 1, 11].flatMap((epoch) => [
      leaseName(automationId(1), epoch),
      ...[0, 1, 11].map((slot) => leaseName(automationId(1), epoch, slot)),
      leaseName(automationId(2), epoch),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });
});
