import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type Plugin, type Rollup } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { headersFor, metaPolicy, parseHeaders } from './scripts/headers.mjs';
import { NOTICES_FILE, noticesOf, noticesText, packageFolderOf, problemsOf } from './scripts/notices.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
const { env } = process;

const outDir = env['ROTA_OUT'] ?? 'dist';
/** The name that src/sw/service-worker.ts imports it by. */
const HOST_OF_LAST_RESORT = 'service-worker-host.js';

/** The folders of all packages of which something is in this build, whichever bundle it is in. */
const shipped = new Set<string>();

/** Of domain, what only parts use that a host loads later: files, and what is done for the database now and then. */
const ONLY_FOR_PARTS =
  /[\\/]domain[\\/](retention|integrity|backup|keep-schema|upkeep|file|read-rota-file|json-fault|import-preview|imported-run|derived-id|loose)\.ts$/;

/** What JavaScript may be in all bundles: that of what has light-dark(), Web Locks, module SharedWorkers and strict
 * IndexedDB transactions; the rest is polyfilled or told. */
const target = ['chrome128', 'firefox128', 'safari18'];

/** What all bundles of one build know of it: the tab, both workers and the service worker. */
const define = {
  __ROTA_BUILD__: JSON.stringify(env['ROTA_BUILD'] ?? buildOfTree()),
  __ROTA_BUILT_AT__: String(builtAt()),
  __ROTA_TEST__: String(env['ROTA_TEST'] === '1'),
};

export default defineConfig({
  // Relative, so that the same files work at the root of a site and in any folder of it.
  base: './',
  define,
  build: {
    outDir,
    emptyOutDir: true,
    target,
    modulePreload: { polyfill: false },
    sourcemap: true,
    reportCompressedSize: false,
    // A data: URL would need a hole in the policy, and a file of its own is cached on its own.
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              // All that the first screen needs is one file beside the entry, whichever other screens use it too: a dozen of
              // them would each wait for its turn on the way.
              name: 'shell',
              test: /[\\/]src[\\/]ui[\\/]main\.ts$/,
            },
          ],
        },
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [entriesToThemselves(), noteShipped()],
    rolldownOptions: {
      output: {
        // What a host shares with what it loads later is one file and not twenty, which would be larger together.
        codeSplitting: {
          groups: [
            {
              name: 'host-parts',
              test: (id: string) =>
                (/[\\/]src[\\/](domain|rpc)[\\/][\w-]+\.ts$|[\\/]valibot[\\/]/.test(id) &&
                  !ONLY_FOR_PARTS.test(id)) ||
                // Of these rooms, what a claim needs and what is loaded later needs too.
                /[\\/]store[\\/](command|connection|quarantine|read|rows|settings|transact|write|written)\.ts$/.test(
                  id,
                ) ||
                /[\\/]scheduler[\\/](leases|new-id|views)\.ts$/.test(id) ||
                /[\\/]actions[\\/](amounts|interrupted|load-part|run-secrets|template)\.ts$/.test(id),
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { port: 4173, strictPort: true },
  plugins: [
    policyInPage(),
    themeBeforePaint(),
    noteShipped(),
    hostOfLastResort(),
    notices(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/sw',
      filename: 'service-worker.ts',
      // The page registers it itself (src/ui/updates.ts) and the manifest is a file (public/manifest.webmanifest).
      injectRegister: null,
      manifest: false,
      injectManifest: {
        globPatterns: ['**/*.{html,js,css,json,svg,png,txt,woff2,wasm,webmanifest}'],
        // The browser keeps what a service worker imports with the service worker itself.
        globIgnores: ['screenshots/**', HOST_OF_LAST_RESORT],
        rollupFormat: 'iife',
        buildPlugins: { vite: [onlyWhatIsNoted()] },
      },
    }),
  ],
});

/**
 * The version with the commit, as in `0.2.0+4a13167`, and `.dirty` when the tree is not what the commit holds. The version
 * alone where there is no git, or where the repository around is not Rota's.
 */
function buildOfTree(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    if (realpathSync(git('rev-parse', '--show-toplevel')) !== realpathSync(root)) return version;
    const dirty = git('status', '--porcelain') !== '';
    return `${version}+${git('rev-parse', '--short', 'HEAD')}${dirty ? '.dirty' : ''}`;
  } catch {
    return version;
  }
}

/**
 * When this build was made, in epoch milliseconds: a newer build is one made later, so an older version that is built and
 * deployed again is the newer. SOURCE_DATE_EPOCH (seconds) makes a build reproducible.
 */
function builtAt(): number {
  const seconds = env['SOURCE_DATE_EPOCH'];
  const at = Number(env['ROTA_BUILT_AT'] ?? (seconds === undefined ? Date.now() : Number(seconds) * 1000));
  if (!Number.isSafeInteger(at) || at < 0)
    throw new RangeError('ROTA_BUILT_AT is in epoch ms, SOURCE_DATE_EPOCH in epoch seconds.');
  return at;
}

/**
 * Puts the policy of public/_headers into the built page, for hosts that ignore that file. In the page it stands after the
 * charset, which must be in the first 1024 bytes, and before anything that the policy rules over.
 */
function policyInPage(): Plugin {
  return {
    name: 'rota:policy-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const rules = parseHeaders(readFileSync(new URL('public/_headers', import.meta.url), 'utf8'));
        const policy = headersFor(rules, '/index.html')['content-security-policy'];
        const anchor = '<meta charset="utf-8" />';
        if (policy === undefined || !html.includes(anchor))
          throw new Error('public/_headers has no policy, or index.html has no charset to put it after.');
        const meta = `<meta http-equiv="Content-Security-Policy" content="${metaPolicy(policy)}" />`;
        return html.replace(anchor, `${anchor}\n    ${meta}`);
      },
    },
  };
}

/**
 * Keeps what a worker loads later from importing the worker's entry: all that they share is in a file of its own. WebKit runs
 * the script of a killed SharedWorker again under another identity, so an import of it would run it once more, and begin a
 * second host in the same worker.
 */
function entriesToThemselves(): Plugin {
  return {
    name: 'rota:entries-to-themselves',
    options: (options) => ({ ...options, preserveEntrySignatures: 'strict' }),
  };
}

/**
 * Builds the script that the service worker imports to be a host: a classic one, and one file with all that the same code
 * loads lazily in other workers, because a service worker can load nothing later.
 */
function hostOfLastResort(): Plugin {
  return {
    name: 'rota:host-of-last-resort',
    apply: 'build',
    closeBundle: async () => {
      await build({
        configFile: false,
        root,
        define,
        logLevel: 'warn',
        publicDir: false,
        plugins: [withoutTabs(), sharedWasm(), noteShipped()],
        build: {
          outDir,
          emptyOutDir: false,
          target,
          sourcemap: true,
          reportCompressedSize: false,
          // As a library: what it loads lazily is not wrapped in what a page needs for it, and all is one file.
          lib: {
            entry: `${root}src/sw/last-resort.ts`,
            formats: ['iife'],
            name: 'rota',
            fileName: () => HOST_OF_LAST_RESORT,
          },
          rolldownOptions: { checks: { bundlerTimings: false } },
        },
      });
    },
  };
}

/** What a host loads only when a tab asks for it, or when it has lived for a while and has nothing else to do. */
const FOR_TABS = ['scheduler/upkeep', 'store/bulk', 'store/import', 'store/upkeep'].map(
  (name) => `${root}src/${name}.ts`,
);

/** Leaves {@link FOR_TABS} out of a host that has no tabs and goes within minutes. To load one of them there is an error. */
function withoutTabs(): Plugin {
  const left = '\0for-tabs';
  return {
    name: 'rota:without-tabs',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.startsWith('.') || importer === undefined) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved !== null && FOR_TABS.includes(resolved.id) ? left : null;
    },
    load: (id) => (id === left ? "throw new Error('A host without tabs has no part for them.');" : null),
  };
}

/** Notes which packages what is built comes from, for {@link notices}. */
function noteShipped(): Plugin {
  return {
    name: 'rota:note-shipped',
    generateBundle: (_options, bundle) => {
      for (const folder of foldersIn(bundle)) shipped.add(folder);
    },
  };
}

/** The packages of which something is in a bundle: code that is left of them, styles, and files that are copied. */
function foldersIn(bundle: Rollup.OutputBundle): readonly string[] {
  const ids = Object.values(bundle).flatMap((file) =>
    file.type === 'chunk'
      ? Object.entries(file.modules).flatMap(([id, { renderedLength }]) =>
          renderedLength > 0 || id.endsWith('.css') ? [id] : [],
        )
      : file.originalFileNames.map((name) => `${root}${name}`),
  );
  return ids.flatMap((id) => packageFolderOf(id, root) ?? []);
}

/**
 * Writes the licences of all that is shipped of others beside the page, before the list of files to keep offline is made. The
 * service worker is built after that list, so its packages are named here; {@link onlyWhatIsNoted} holds that they are all.
 */
function notices(): Plugin {
  return {
    name: 'rota:notices',
    apply: 'build',
    closeBundle: () => {
      for (const name of ['workbox-core', 'workbox-precaching', 'workbox-routing', 'workbox-strategies'])
        shipped.add(`${root}node_modules/${name}`);
      const found = noticesOf(shipped);
      const problems = problemsOf(found);
      if (problems.length > 0) throw new Error(problems.join('\n'));
      writeFileSync(`${root}${outDir}/${NOTICES_FILE}`, noticesText(found));
    },
  };
}

/** Breaks the build when the service worker holds a package whose licence was not written. */
function onlyWhatIsNoted(): Plugin {
  return {
    name: 'rota:only-what-is-noted',
    generateBundle: (_options, bundle) => {
      const others = foldersIn(bundle).filter((folder) => !shipped.has(folder));
      if (others.length > 0) throw new Error(`Not in ${NOTICES_FILE}: ${[...new Set(others)].join(', ')}`);
    },
  };
}

/**
 * Lets the host of last resort load the same WebAssembly file as the other hosts: as a library its own copy would be written
 * into the script, which the browser would keep and read for an action that few have.
 */
function sharedWasm(): Plugin {
  const file = (): string => {
    const [name, ...others] = readdirSync(`${root}${outDir}/assets`).filter((one) => one.endsWith('.wasm'));
    if (name === undefined || others.length > 0) throw new Error('There should be one .wasm in the build.');
    return `assets/${name}`;
  };
  return {
    name: 'rota:shared-wasm',
    enforce: 'pre',
    load: (id) =>
      id.endsWith('.wasm?url')
        ? `export default new URL(${JSON.stringify(file())}, self.location.href).href;`
        : null,
    // Emscripten names its file too, for whoever does not give it one.
    transform: (code, id) =>
      id.includes('/emscripten-module.')
        ? // Nobody steps through that file, so it needs no map.
          { code: code.replaceAll('import.meta.url', 'self.location.href'), map: { mappings: '' } }
        : null,
  };
}

/**
 * Holds the first paint until the page's script has run, which sets the chosen theme (src/ui/theme.ts): without it a dark
 * Rota on a light system begins with a flash of paper. Vite drops the attribute from index.html, so it is put back here.
 */
function themeBeforePaint(): Plugin {
  return {
    name: 'rota:theme-before-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
    },
  };
}
