import type { AskedServer, ToolList } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { askForList } from './ask-for-list.ts';
import { loadPart } from './load-part.ts';

/** The tools of `server`, or why it could not be asked. Templates are filled in as for a sample run. Never rejects. */
export async function listTools(
  server: AskedServer,
  world: Omit<NetworkContext, 'signal'>,
): Promise<ToolList> {
  return await askForList(
    await loadPart(() => import('./mcp/ask-for-tools.ts'), 'asks for tools'),
    world,
    { who: 'The server of tools', advice: 'Check the address, and that the server runs.' },
    (part, scope, context) => part.askForTools(server, scope, context),
  );
}
