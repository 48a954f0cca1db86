import type { AskedServer, Definition, DurationMs, ToolList } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { sampleRun } from './sample-run.ts';
import { loadPart } from './load-part.ts';
import { scopeOf } from './template.ts';

/** How long a server may take to say which tools it has: a person waits for it. */
const LIST_MOST_MS: DurationMs = 8_000;

/** The tools of `server`, or why it could not be asked. Templates are filled in as for a sample run. Never rejects. */
export async function listTools(
  server: AskedServer,
  world: Omit<NetworkContext, 'signal'>,
): Promise<ToolList> {
  const loaded = await loadPart(() => import('./mcp/ask-for-tools.ts'), 'asks for tools');
  if (loaded.kind === 'failed') return loaded;
  const run = sampleRun({ name: 'Test', schedule: { kind: 'manual' } } as Definition);
  const context = { ...world, signal: AbortSignal.timeout(LIST_MOST_MS) };
  try {
    return await loaded.part.askForTools(server, scopeOf(run, world.now, world.secrets), context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return {
      kind: 'failed',
      failure: {
        class: 'network',
        code: 'no-answer',
        message: `The server of tools did not answer within ${LIST_MOST_MS / 1_000} s.`,
        advice: 'Check the address, and that the server runs.',
      },
    };
  }
}
