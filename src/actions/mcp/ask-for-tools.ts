/** Which tools a server has: asked by whoever sets a prompt up, by the same way that a run asks. */
import type { AskedServer, ToolList } from '../../domain/index.ts';
import type { NetworkContext } from '../action-context.ts';
import type { TemplateScope } from '../template-scope.ts';
import { McpSession } from './mcp-client.ts';
import { prepareServer } from './prepare-server.ts';

/** Asks `server` for its tools, and calls none. Rejects with `signal.reason` on an abort. */
export async function askForTools(
  server: AskedServer,
  scope: TemplateScope,
  context: NetworkContext,
): Promise<ToolList> {
  const prepared = await prepareServer(server, scope);
  if (prepared.kind === 'refused') return { kind: 'failed', failure: prepared.failure };
  const { ready } = prepared;
  const { secrets: _others, ...network } = context;
  const askedAt = context.now();
  const opened = await McpSession.open(ready, {
    ...network,
    ...(ready.secrets === undefined ? {} : { secrets: ready.secrets }),
  });
  if (opened.kind === 'failed') return opened;
  const { session } = opened;
  try {
    const list = await session.listTools();
    if (list.kind === 'failed') return list;
    return {
      kind: 'tools',
      tools: list.tools.map(({ info }) => info),
      ...(list.isCut ? { isCut: true } : {}),
      ...(session.name === null ? {} : { server: session.name.slice(0, 200) }),
      tookMs: Math.max(0, context.now() - askedAt),
    };
  } finally {
    session.close();
  }
}
