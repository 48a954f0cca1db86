/**
 * A static host in one file: serves built folders with the headers that their own `_headers` file gives, so that what is
 * seen here is what a plain static host shows. One server can hold several builds of one origin under different paths,
 * and a path can be switched to another build while it runs, as a deploy does.
 *
 * `node scripts/serve.mjs [folder]` serves `dist` or the folder on PORT or 4173, to this machine only.
 */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { argv, env, exit, stdout, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { headersFor, parseHeaders } from './headers.mjs';

/** Where `npm start` serves when PORT says nothing. */
export const DEFAULT_PORT = 4173;

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.map', 'application/json; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.svg', 'image/svg+xml; charset=utf-8'],
  ['.png', 'image/png'],
  ['.ico', 'image/vnd.microsoft.icon'],
  ['.woff2', 'font/woff2'],
  ['.wasm', 'application/wasm'],
  ['.webmanifest', 'application/manifest+json; charset=utf-8'],
]);

/** What a picture or a font holds is packed already. */
const PACKED = new Set(['.png', '.ico', '.woff2']);
/** Below this many bytes packing saves nothing that is worth its header. */
const PACKED_FROM = 1_024;
/** How many packed files are kept, the newest: all of a few builds. */
const KEPT_MOST = 500;
/** What was packed, by its etag. @type {Map<string, Promise<Buffer>>} */
const kept = new Map();

/**
 * A running server.
 * @typedef {object} Served
 * @property {number} port
 * @property {string} origin such as `http://localhost:4173`, without a slash at its end.
 * @property {(prefix: string, folder: string) => void} mount puts a folder at a path that starts and ends with `/`, in the
 *   place of what was there: the next request is answered from it.
 * @property {() => Promise<void>} close stops listening and cuts what is open.
 */

/**
 * Starts a server for this machine alone (127.0.0.1 and, where there is one, ::1: browsers try either for `localhost`).
 * @param {{ readonly mounts: Readonly<Record<string, string>>, readonly port?: number }} options `mounts` from path to
 *   folder, as in `{ '/': 'dist' }`; port 0, the default, takes any that is free.
 * @returns {Promise<Served>}
 * @throws the system's error, `EADDRINUSE` when the port is taken.
 */
export async function serve({ mounts, port = 0 }) {
  /** @type {Map<string, string>} */
  const folders = new Map();
  /** @type {Served['mount']} */
  const mount = (prefix, folder) => {
    if (!prefix.startsWith('/') || !prefix.endsWith('/'))
      throw new RangeError(`A mount starts and ends with a slash: ${prefix}`);
    folders.set(prefix, resolve(folder));
  };
  for (const [prefix, folder] of Object.entries(mounts)) mount(prefix, folder);

  /** @type {import('node:http').RequestListener} */
  const listener = (request, response) => {
    answer(folders, request).then(
      ({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'content-length': body.byteLength });
        response.end(request.method === 'HEAD' || status === 304 ? undefined : body);
      },
      (/** @type {unknown} */ error) => {
        response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(String(error));
      },
    );
  };
  const first = createServer(listener);
  await listen(first, port, '127.0.0.1');
  const address = first.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  const servers = [first];
  const second = createServer(listener);
  try {
    await listen(second, address.port, '::1');
    servers.push(second);
  } catch (error) {
    // A machine without IPv6 is well; a port that another program holds on ::1 would send half the browsers there.
    if (codeOf(error) === 'EADDRINUSE') {
      first.close();
      throw error;
    }
  }
  return {
    port: address.port,
    origin: `http://localhost:${address.port}`,
    mount,
    close: async () => {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise((done) => {
              server.close(done);
              server.closeAllConnections();
            }),
        ),
      );
    },
  };
}

/** @typedef {{ status: number, headers: Record<string, string>, body: Buffer }} Answer */

/**
 * @param {ReadonlyMap<string, string>} folders
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Answer>}
 */
async function answer(folders, request) {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return text(405, 'Only GET and HEAD.', { allow: 'GET, HEAD' });
  const [rawPath = '/', query] = (request.url ?? '/').split('?', 2);
  /** @type {string} */
  let path;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    return text(400, 'The address is not valid.');
  }
  // No file here has such a name, and each is a way out of the folder on some system.
  if (path.includes('\0') || path.includes('\\') || path.split('/').includes('..'))
    return text(400, 'The address is not valid.');

  const prefix = [...folders.keys()]
    .filter((candidate) => path.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  const folder = prefix === undefined ? undefined : folders.get(prefix);
  if (prefix === undefined || folder === undefined)
    return folders.has(`${path}/`) ? slashed(rawPath, query) : text(404, 'Nothing is here.');

  const inside = path.slice(prefix.length - 1);
  const headers = headersFor(await rulesOf(folder), inside);
  const found = await find(folder, inside);
  if (found === 'folder') return slashed(rawPath, query);
  if (found === null) return text(404, 'Nothing is here.', headers);
  const body = await readFile(found);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  /** @type {Record<string, string>} */
  const all = { ...headers, 'content-type': TYPES.get(extname(found)) ?? 'application/octet-stream', etag };
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  const isKnown = known?.includes(etag) === true;
  const isPackable = !PACKED.has(extname(found)) && body.byteLength >= PACKED_FROM;
  if (isPackable) all['vary'] = 'accept-encoding';
  const isPacked = isPackable && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (isPacked) {
    all['content-encoding'] = 'gzip';
    // The same content in another form: equal, and not the same bytes.
    all['etag'] = `W/${etag}`;
  }
  if (isKnown) return { status: 304, headers: all, body: Buffer.alloc(0) };
  return { status: 200, headers: all, body: isPacked ? await packed(etag, body) : body };
}

/**
 * A file as gzip packs it, packed once for all who ask.
 * @param {string} etag of the file
 * @param {Buffer} body
 * @returns {Promise<Buffer>}
 */
function packed(etag, body) {
  const before = kept.get(etag);
  if (before !== undefined) return before;
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_MOST && oldest !== undefined) kept.delete(oldest);
  const now = promisify(gzip)(body);
  kept.set(etag, now);
  return now;
}

/**
 * The file for a path, `folder` when the path needs a slash at its end, or `null`. Never anything outside of the folder,
 * whatever links it holds, nor what hosts keep to themselves: `_headers` and names that start with a dot.
 * @param {string} folder
 * @param {string} path
 * @returns {Promise<string | 'folder' | null>}
 */
async function find(folder, path) {
  if (path === '/_headers' || path.split('/').some((segment) => segment.startsWith('.'))) return null;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path.endsWith('/') ? `${path}index.html` : path));
    if (!file.startsWith(root + sep)) return null;
    const found = await stat(file);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? file : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Read anew for each request: the folder may have been built again since the last.
 * @param {string} folder
 */
async function rulesOf(folder) {
  try {
    return parseHeaders(await readFile(join(folder, '_headers'), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @param {number} status
 * @param {string} body
 * @param {Record<string, string>} [headers]
 * @returns {Answer}
 */
function text(status, body, headers = {}) {
  return {
    status,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(`${body}\n`),
  };
}

/**
 * @param {string} path
 * @param {string | undefined} query
 */
function slashed(path, query) {
  const location = `${path.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`;
  return text(301, 'The folder is one slash further.', { location });
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * @param {import('node:http').Server} server
 * @param {number} port
 * @param {string} host
 * @returns {Promise<void>}
 */
function listen(server, port, host) {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      done();
    });
  });
}

/**
 * Serves a folder on PORT or 4173 until the process is stopped, and says where in one line.
 * @param {string} folder
 */
export async function serveForPerson(folder) {
  const port = Number(env['PORT'] ?? DEFAULT_PORT);
  try {
    const { origin } = await serve({ mounts: { '/': folder }, port });
    stdout.write(`Rota is on ${origin}/\n`);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    stderr.write(`Port ${port} is taken. Try another: PORT=${port + 1} npm start\n`);
    exit(1);
  }
}

if (argv[1] !== undefined && resolve(argv[1]) === fileURLToPath(import.meta.url))
  await serveForPerson(argv[2] ?? 'dist');
