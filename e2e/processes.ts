/** The browser's processes, as the kernel sees them: what a test kills is killed by the kernel, and nothing is told first. */
import { readFileSync, readdirSync } from 'node:fs';

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its program and arguments. Firefox's processes put theirs into one word, so it is a text with spaces. */
  readonly command: string;
}

/** What the kernel says of a process or a thread. Processor time is in its ticks. */
function parseStat(stat: string): {
  readonly state: string;
  readonly parent: number;
  readonly ticks: number;
} {
  // The second field is the name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    ticks: Number(fields[11]) + Number(fields[12]),
  };
}

/** Every process that runs; those that have ended and only wait to be buried are not among them. */
function look(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): Process[] => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const { state, parent } = parseStat(stat);
        if (state === 'Z' || state === 'X') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent, command }];
      } catch {
        return [];
      }
    });
}

/** The process of the browser that uses the profile in `folder`; every other process of it is below. */
export function browserProcess(folder: string): number {
  const all = look().filter(
    ({ command }) => command.split(/[ =]/).includes(folder) && !command.includes(' --type='),
  );
  const pids = new Set(all.map(({ pid }) => pid));
  const main = all.find(({ parent }) => !pids.has(parent));
  if (main === undefined) throw new Error(`No browser uses ${folder}.`);
  return main.pid;
}

/** The process `browser` and all that are below it. */
function familyOf(browser: number): readonly Process[] {
  const all = look();
  const family = new Set([browser]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid));
}

/** Whether the process is there, and does not merely wait to be buried. */
export function isRunning(pid: number): boolean {
  return look().some((process) => process.pid === pid);
}

/** SIGKILL, which no process hears of before it is gone. One that has gone already is as well. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** How long processes may take to be gone after SIGKILL. */
const GONE_MOST_MS = 10_000;

/** Kills the browser with SIGKILL, its main process first, and all below it. Resolves when none is left. */
export async function killFamily(browser: number): Promise<void> {
  const family = familyOf(browser).map(({ pid }) => pid);
  killNow(browser);
  for (const pid of family) killNow(pid);
  for (const until = Date.now() + GONE_MOST_MS; Date.now() < until;) {
    const running = new Set(look().map(({ pid }) => pid));
    if (!family.some((pid) => running.has(pid))) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`The browser ${browser} is still there after SIGKILL.`);
}

/** What Chromium, Firefox and WebKit call the thread of a SharedWorker; the kernel keeps 15 characters of it. */
const WORKER_THREAD = /^SharedWorker|^DOM Worker$|: SharedWorker$/;
/** What Firefox calls the processes in which only service workers run; their threads have the same name. */
const SERVICE_WORKERS = /^Isolated Servic$/;

/** The threads of SharedWorkers in the process `pid`, each with the processor time that it has used, in ticks. */
function workerThreads(pid: number): readonly { readonly id: string; readonly ticks: number }[] {
  try {
    if (SERVICE_WORKERS.test(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())) return [];
    return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
      try {
        if (!WORKER_THREAD.test(readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim())) return [];
        return [{ id, ticks: parseStat(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')).ticks }];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The processes of the browser that have SharedWorkers in them, and how many: there live the hosts. */
export function hostProcesses(browser: number): readonly { readonly pid: number; readonly hosts: number }[] {
  return familyOf(browser)
    .filter(({ pid }) => pid !== browser)
    .map(({ pid }) => ({ pid, hosts: workerThreads(pid).length }))
    .filter(({ hosts }) => hosts > 0);
}

/** Processor time in ticks (hundredths of a second) that tells a worker that spins from one that is busy. */
const SPUN = 50;

/** The process in which a SharedWorker spins, however long a busy machine takes to show it. */
export async function spinningProcess(browser: number): Promise<number> {
  const used = new Map<string, number>();
  for (let looks = 0; looks < 100; looks++) {
    for (const { pid } of hostProcesses(browser)) {
      for (const { id, ticks } of workerThreads(pid)) {
        const before = used.get(id);
        if (before === undefined) used.set(id, ticks);
        else if (ticks - before >= SPUN) return pid;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('No SharedWorker spins.');
}
