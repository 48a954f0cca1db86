/** Which room of src/ may import which, through its door alone (`index.ts`). A room that is not here may import nothing. */
const MAY_IMPORT = {
  domain: [],
  rpc: ['domain'],
  store: ['domain'],
  actions: ['domain'],
  scheduler: ['domain', 'store', 'actions', 'rpc'],
  sw: ['scheduler'],
  ui: ['domain', 'rpc'],
};

/** Which packages a room may import. `name*` is any that starts so. */
const PACKAGES = {
  domain: ['temporal-polyfill', 'valibot'],
  rpc: [],
  store: ['idb', 'valibot'],
  actions: [
    ...[
      '@jitl/quickjs-wasmfile-release-sync',
      'css-select',
      'domhandler',
      'eventsource-parser',
      'htmlparser2',
      'json-p3',
      'liquidjs',
    ],
    ...['openai', 'quickjs-emscripten-core', 're2js', 'valibot'],
  ],
  scheduler: ['comlink', 'valibot'],
  sw: ['workbox-*'],
  ui: [
    'lit',
    'comlink',
    '@awesome.me/webawesome',
    '@tanstack/lit-virtual',
    'chrono-node',
    'diff',
    'marked',
    'yaml',
  ],
};

/** What the build, and no import, starts: each is the only file of its kind that nothing imports. */
const ENTRIES = [
  '^src/ui/main\\.ts$',
  '^src/scheduler/(shared|tab)-worker\\.ts$',
  '^src/sw/(service-worker|last-resort)\\.ts$',
];

/** The address of a file that the build copies; the package that it is from is imported beside it. */
const ADDRESS = '\\?url$';

const TEST = '\\.(test|testing)\\.ts$';
const rooms = Object.keys(MAY_IMPORT);
const packagePattern = (name) =>
  `node_modules/${name.endsWith('*') ? `${name.slice(0, -1)}[^/]*` : name.replaceAll('.', '\\.')}/`;

module.exports = {
  forbidden: [
    {
      name: 'known-rooms',
      comment: 'Every file of src/ is in a room of the table.',
      severity: 'error',
      from: { path: '^src/', pathNot: rooms.map((room) => `^src/${room}/`) },
      to: {},
    },
    ...rooms.map((room) => ({
      name: `${room}-rooms`,
      comment: `${room} may import ${MAY_IMPORT[room].join(', ') || 'no other room'}, by the door (index.ts).`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: TEST },
      to: {
        path: '^src/',
        pathNot: [`^src/${room}/`, ...MAY_IMPORT[room].map((other) => `^src/${other}/index\\.ts$`)],
      },
    })),
    ...rooms.map((room) => ({
      name: `${room}-packages`,
      comment: `${room} may use ${PACKAGES[room].join(', ') || 'no package'}.`,
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: [TEST, '\\.d\\.ts$'] },
      to: { pathNot: ['^src/', ADDRESS, ...PACKAGES[room].map(packagePattern)] },
    })),
    {
      name: 'comlink-once-a-side',
      comment:
        'Comlink is wrapped where it is imported: a deadline, an envelope, a lost host. Nobody goes around that.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/ui/connect\\.ts$', '^src/scheduler/serve\\.ts$', TEST] },
      to: { path: 'node_modules/comlink/' },
    },
    {
      name: 'no-cycles',
      comment: 'Of two files that need each other, one is in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports and that imports nothing is forgotten.',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: [TEST, '\\.d\\.ts$', ...ENTRIES] },
      to: {},
    },
    {
      name: 'no-tests-in-source',
      comment: 'What ships does not import tests.',
      severity: 'error',
      from: { pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ADDRESS },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.css', '.svg', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'types', 'default'],
    },
  },
};
