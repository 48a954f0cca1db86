/** The browser's processes, as the kernel sees them: what a test kills is killed by the kernel, and nothing is told first. */
import { readFileSync, readdirSync } from 'node:fs';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Processor time used, in the kernel's ticks. */
  readonly ticks: number;
}

function look(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): Process[] => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The second field is the name in brackets, which may hold anything.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [
          {
            pid: Number(name),
            parent: Number(fields[1]),
            command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '),
            ticks: Number(fields[11]) + Number(fields[12]),
          },
        ];
      } catch {
        return [];
      }
    });
}

/** The process of the browser that uses the profile in `folder`; every other process of it is below. */
export function browserProcess(folder: string): number {
  const main = look().find(
    ({ command }) => command.includes(`--user-data-dir=${folder}`) && !command.includes('--type='),
  );
  if (main === undefined) throw new Error(`No browser uses ${folder}.`);
  return main.pid;
}

function renderersOf(browser: number): readonly Process[] {
  const all = look();
  const family = new Set([browser]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid, command }) => family.has(pid) && command.includes('--type=renderer'));
}

/** Processor time in ticks (hundredths of a second) that tells a renderer that spins from one that is busy. */
const SPUN = 25;

/** The renderer that spins: the one that alone uses the processor, however long a busy machine takes to show it. */
export async function spinningRenderer(browser: number): Promise<number> {
  const before = new Map(renderersOf(browser).map(({ pid, ticks }) => [pid, ticks]));
  for (let look = 0; look < 100; look++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const used = renderersOf(browser)
      .map(({ pid, ticks }) => ({ pid, ticks: ticks - (before.get(pid) ?? ticks) }))
      .sort((a, b) => b.ticks - a.ticks);
    const [first, second] = used;
    if (first !== undefined && first.ticks >= SPUN && first.ticks >= 3 * (second?.ticks ?? 0))
      return first.pid;
  }
  throw new Error('No renderer spins.');
}
