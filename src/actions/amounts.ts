import type { DurationMs } from '../domain/index.ts';

/** A number of bytes as people read it, in decimal units: `812 B`, `1.2 kB`, `34 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_500 ? `${short(bytes / 1_000)} kB` : `${short(bytes / 1_000_000)} MB`;
}

/** A length of time as people read it: `84 ms`, `2.4 s`, `1 min 5 s`. */
export function durationText(duration: DurationMs): string {
  if (duration < 1_000) return `${duration} ms`;
  if (duration < 59_500) return `${short(duration / 1_000)} s`;
  const seconds = Math.round(duration / 1_000);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `text` on one line and at most `most` characters long, an ellipsis among them where it was cut. */
export function shortened(text: string, most: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line.slice(0, 2 * most + 2));
  return points.length <= most
    ? line
    : `${points
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

function short(value: number): string {
  return value < 9.95 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}
