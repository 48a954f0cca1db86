import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Lingering } from './lingering.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

test('it goes when its time is over, once, and one that takes its place has a time of its own', () => {
  const end = vi.fn();
  const lingering = new Lingering(end);
  lingering.begin(8_000);
  vi.advanceTimersByTime(7_999);
  expect(end).not.toHaveBeenCalled();
  lingering.begin(20_000);
  vi.advanceTimersByTime(19_999);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(HOUR_MS);
  expect(end).toHaveBeenCalledOnce();
});

test('it stays while it is pointed at or has the focus, whichever ends last, and then as long again', () => {
  const end = vi.fn();
  const lingering = new Lingering(end);
  lingering.begin(20_000);
  lingering.hold('pointer');
  lingering.hold('focus');
  vi.advanceTimersByTime(HOUR_MS);
  lingering.release('pointer');
  vi.advanceTimersByTime(HOUR_MS);
  expect(end).not.toHaveBeenCalled();
  lingering.release('focus');
  vi.advanceTimersByTime(19_999);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

test('one that takes the place of what is held is held, too', () => {
  const end = vi.fn();
  const lingering = new Lingering(end);
  lingering.begin(8_000);
  lingering.hold('pointer');
  lingering.begin(8_000);
  vi.advanceTimersByTime(HOUR_MS);
  expect(end).not.toHaveBeenCalled();
});

test('what was dismissed while it had the focus does not hold the next one', () => {
  const end = vi.fn();
  const lingering = new Lingering(end);
  lingering.begin(8_000);
  lingering.hold('focus');
  lingering.stop();
  vi.advanceTimersByTime(HOUR_MS);
  expect(end).not.toHaveBeenCalled();
  lingering.release('focus');
  lingering.begin(8_000);
  vi.advanceTimersByTime(8_000);
  expect(end).toHaveBeenCalledOnce();
});
