/** A server for what automations ask on the bench: it answers with nothing, or never, and notes when it was asked. */
import { createServer } from 'node:http';

/**
 * @typedef {object} Answers
 * @property {string} url what to ask; what is added to its end comes back as `path` of a hit
 * @property {{ readonly path: string, readonly at: number }[]} hits when each request came, epoch ms
 * @property {() => void} close cuts what is open
 */

/**
 * @param {{ readonly never?: boolean, readonly afterMs?: number }} [options] `never`: requests stay open until whoever asked
 *   dies; `afterMs`: how long an answer takes, at once by default
 * @returns {Promise<Answers>}
 */
export async function startAnswers({ never = false, afterMs = 0 } = {}) {
  /** @type {Answers['hits']} */
  const hits = [];
  const server = createServer((request, response) => {
    hits.push({ path: (request.url ?? '/').slice(1), at: Date.now() });
    response.setHeader('access-control-allow-origin', '*');
    if (never) response.flushHeaders();
    else if (afterMs === 0) response.writeHead(204).end();
    else setTimeout(() => response.writeHead(204).end(), afterMs);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    hits,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
