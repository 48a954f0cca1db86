import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AskedServerInput, askedServerSchema } from '../../domain/index.ts';
import type { NetworkContext } from '../action-context.ts';
import { listTools } from '../list-tools.ts';
import { tool, ToolServer } from './tool-server.testing.ts';

let tools: ToolServer;
beforeEach(async () => {
  tools = await ToolServer.open();
});
afterEach(() => tools.close());

const list = (changes: Partial<AskedServerInput> = {}, more: Partial<NetworkContext> = {}) =>
  listTools(v.parse(askedServerSchema, { url: tools.url, ...changes }), {
    now: Date.now,
    fetch,
    online: () => true,
    origin: 'http://localhost:4173',
    ...more,
  });

describe('the tools of a server', () => {
  test('are listed with what it claims of them, none is called, and the session is ended', async () => {
    tools.tools = [
      tool('look', { title: 'Look', annotations: { readOnlyHint: true, idempotentHint: true } }),
      tool('wipe', { annotations: { destructiveHint: true } }),
      tool('add', { annotations: { destructiveHint: false } }),
      { name: 'bare', inputSchema: { type: 'object' } },
    ];
    tools.pageSize = 3;
    expect(await list()).toEqual({
      kind: 'tools',
      server: 'Weather',
      tools: [
        {
          name: 'look',
          title: 'Look',
          description: 'Does look.',
          claim: 'read-only',
          claimsIdempotent: true,
        },
        { name: 'wipe', description: 'Does wipe.', claim: 'destructive' },
        { name: 'add', description: 'Does add.', claim: 'additive' },
        { name: 'bare', claim: 'unknown' },
      ],
      tookMs: expect.any(Number) as number,
    });
    expect(tools.calls).toEqual([]);
    await expect.poll(() => tools.sessions).toBe(0);
  });

  test('are no more than can be shown, and their descriptions too', async () => {
    tools.tools = Array.from({ length: 10_000 }, (_one, at) =>
      tool(`t${at}`, at === 0 ? { description: 'x'.repeat(100_000) } : {}),
    );
    const found = await list();
    expect(found).toMatchObject({ kind: 'tools', isCut: true });
    expect(found.kind === 'tools' && found.tools.length).toBe(1_000);
    expect(JSON.stringify(found).length).toBeLessThan(100_000);
  });

  test('that are none of the form are left out, whatever their names', async () => {
    tools.intercept = (_request, response, body) => {
      if (!body.includes('tools/list')) return false;
      const { id } = JSON.parse(body) as { readonly id: number };
      response.setHeader('content-type', 'application/json');
      response.end(
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[7,null,{"name":""},{"name":"x"},{"name":"y","inputSchema":[]},` +
          '{"name":"__proto__","inputSchema":{"__proto__":{"evil":1}},"annotations":"yes","description":7}]}}',
      );
      return true;
    };
    expect(await list()).toMatchObject({ kind: 'tools', tools: [{ name: '__proto__', claim: 'unknown' }] });
    expect(({} as Record<string, unknown>)['evil']).toBeUndefined();
  });

  test('are not told by a server that has none', async () => {
    tools.intercept = (_request, response, body) => {
      const { id } = JSON.parse(body === '' ? '{}' : body) as { readonly id?: number };
      if (id === undefined) {
        response.writeHead(202).end();
        return true;
      }
      response.setHeader('content-type', 'application/json');
      const result = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'x' } };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    };
    expect(await list()).toMatchObject({ kind: 'failed', failure: { code: 'no-tools' } });
    // Nothing of that version knows the header.
    expect(tools.hits.at(-1)?.headers).not.toHaveProperty('mcp-protocol-version');
  });

  test('are asked for with the headers of the server, and what is wrong with those is said', async () => {
    await list({ headers: { Authorization: 'Bearer t-1' } });
    expect(tools.hits[0]?.headers.authorization).toBe('Bearer t-1');
    expect(await list({ headers: { 'X-Key': '{{ nowhere }}' } })).toMatchObject({ kind: 'failed' });
    for (const name of ['Accept', 'mcp-session-id', 'Content-Type'])
      expect(
        v.safeParse(askedServerSchema, { url: tools.url, headers: { [name]: 'x' } }).issues,
      ).toMatchObject([{ message: `Rota sets ${name} itself; remove it.` }]);
  });
});
