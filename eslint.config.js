/**
 * The house rules that a machine can see. What a room may import is in .dependency-cruiser.cjs, what a realm has is in its
 * tsconfig; here is how code is written, and which files may touch the world.
 */
import { defineConfig, globalIgnores } from 'eslint/config';
import { configs as lit } from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';
import { configs as wc } from 'eslint-plugin-wc';
import tseslint from 'typescript-eslint';

/** Files that join the pure parts to the browser. Everything else is given its clock, chance, locks, channels and storage. */
const WIRING = [
  'src/scheduler/browser-world.ts',
  'src/scheduler/*-worker.ts',
  'src/actions/script/platform.ts',
  'src/scheduler/pause-points.ts',
  'src/scheduler/faults.ts',
  'src/ui/connect.ts',
  'src/ui/backups/browser-backups.ts',
  'src/ui/notifier.ts',
  'src/ui/pages/editor-draft-keeper.ts',
  'src/sw/**',
];
/** `.testing.ts` is what tests of a room share. */
const TESTS = ['**/*.test.ts', '**/*.testing.ts', 'e2e/**'];
/** Where time and chance are arguments. */
const PURE = ['src/domain/**', 'src/rpc/**', 'src/store/**', 'src/actions/**', 'src/scheduler/**'];

const NO_CLOCK = 'Take the time as an argument: it can then be midnight, a leap day, or the wrong order.';
const NO_CHANCE = 'Take chance as an argument: it can then be repeated.';
const WIRED = 'Only wiring files touch the world (see eslint.config.js); take it as an argument.';

const syntax = {
  namedExports: {
    selector: 'ExportDefaultDeclaration',
    message: 'Named exports only: one name for a thing, everywhere.',
  },
  // `as`, `satisfies` and what is around the call are gone before Vite looks; the shape of the arguments is not.
  workerAddress: {
    selector:
      'NewExpression[callee.name=/^(Shared)?Worker$/]:not([arguments.0.type="NewExpression"][arguments.0.callee.name="URL"][arguments.0.arguments.0.type="Literal"][arguments.0.arguments.1.type="MemberExpression"])',
    message:
      "Vite bundles a worker only from one expression: new SharedWorker(new URL('…', import.meta.url), { type: 'module' }).",
  },
  workerType: {
    selector:
      'NewExpression[callee.name=/^(Shared)?Worker$/]:not(:has(Property[key.name="type"][value.value="module"]))',
    message: "Vite reads a worker's type from the call: write { type: 'module' } in it.",
  },
  workerElsewhere: {
    selector: 'NewExpression[callee.type="MemberExpression"][callee.property.name=/^(Shared)?Worker$/]',
    message: 'Vite sees `new SharedWorker` and `new Worker`, not a property of that name.',
  },
  steal: {
    selector: 'Property[key.name="steal"], Property[key.value="steal"]',
    message:
      'A lock is never stolen: it can change hands between the decision and the deed, and a healthy host loses its lease.',
  },
  stealLater: {
    selector: 'AssignmentExpression > MemberExpression.left[property.name="steal"]',
    message: 'A lock is never stolen.',
  },
  shortWait: {
    selector: 'CallExpression[callee.object.name="vi"][callee.property.name=/^wait(For|Until)$/]',
    message: 'Use expect.poll: it waits for as long as vitest.config.ts says, and not for one second.',
  },
  newDate: { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: NO_CLOCK },
  dateCall: { selector: 'CallExpression[callee.name="Date"]', message: NO_CLOCK },
};
const everywhere = [
  syntax.namedExports,
  syntax.workerAddress,
  syntax.workerType,
  syntax.workerElsewhere,
  syntax.steal,
  syntax.stealLater,
];

const clockAndChance = [
  { object: 'Date', property: 'now', message: NO_CLOCK },
  { object: 'performance', property: 'now', message: NO_CLOCK },
  { object: 'Temporal', property: 'Now', message: NO_CLOCK },
  { object: 'Math', property: 'random', message: NO_CHANCE },
  { object: 'crypto', property: 'randomUUID', message: NO_CHANCE },
  { object: 'crypto', property: 'getRandomValues', message: NO_CHANCE },
];

/** Names of the world, also as `globalThis.name`, `self.name` and `window.name`. */
const world = (names) => [
  'error',
  {
    globals: names.map((name) => ({ name, message: WIRED })),
    checkGlobalObject: true,
    globalObjects: ['globalThis', 'self', 'window'],
  },
];
const STORAGE = ['indexedDB', 'IDBKeyRange', 'caches', 'localStorage', 'sessionStorage'];
const LOCKS_AND_CHANNELS = ['BroadcastChannel', 'SharedWorker', 'Worker', 'navigator'];
const TIMERS = [
  'setTimeout',
  'setInterval',
  'queueMicrotask',
  'requestAnimationFrame',
  'requestIdleCallback',
];

const comlink = (message) => ['error', { paths: [{ name: 'comlink', message }] }];

export default defineConfig(
  globalIgnores(['dist', 'dist-*', '.tsc', '.cache', 'node_modules', 'test-results', 'shots']),
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
      'no-restricted-syntax': ['error', ...everywhere],
      'no-restricted-imports': comlink('Comlink is imported in one file on each side of the seam.'),
      'object-shorthand': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description', 'ts-ignore': true, 'ts-nocheck': true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      // Values in templates are numbers of the domain everywhere; `${object}` is what this is about.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `const { left, ...rest } = value` is how a copy without `left` is made.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, varsIgnorePattern: '^_$' }],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        // A `default` is a decision too; `assertNever` in it makes the compiler hold it to the cases.
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },

  // Time and chance are arguments wherever behaviour depends on them.
  {
    files: PURE,
    ignores: [...WIRING, ...TESTS],
    rules: {
      'no-restricted-properties': ['error', ...clockAndChance],
      'no-restricted-syntax': ['error', ...everywhere, syntax.newDate, syntax.dateCall],
    },
  },
  {
    files: ['src/domain/**', 'src/rpc/**'],
    ignores: TESTS,
    rules: {
      'no-restricted-globals': world([...STORAGE, ...LOCKS_AND_CHANNELS, ...TIMERS, 'fetch', 'crypto']),
    },
  },
  {
    // Inside a transaction only its own requests may be awaited; here there is nothing else to await.
    files: ['src/store/**'],
    ignores: TESTS,
    rules: {
      'no-restricted-globals': world([
        ...STORAGE.filter((name) => name !== 'IDBKeyRange'),
        ...LOCKS_AND_CHANNELS,
        ...TIMERS,
        'fetch',
        'crypto',
      ]),
    },
  },
  {
    files: ['src/actions/**', 'src/scheduler/**'],
    ignores: [...WIRING, ...TESTS],
    rules: { 'no-restricted-globals': world([...STORAGE, ...LOCKS_AND_CHANNELS, ...TIMERS]) },
  },
  {
    // A page has timers and asks what the browser can do; storage, hints and workers come through connect.ts.
    files: ['src/ui/**'],
    ignores: [...WIRING, ...TESTS],
    rules: {
      'no-restricted-globals': world([
        'indexedDB',
        'IDBKeyRange',
        'caches',
        'BroadcastChannel',
        'SharedWorker',
        'Worker',
      ]),
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        { selector: 'MemberExpression[object.name="navigator"][property.name="locks"]', message: WIRED },
      ],
    },
  },
  { files: ['src/scheduler/serve.ts', 'src/ui/connect.ts'], rules: { 'no-restricted-imports': 'off' } },

  {
    files: ['src/ui/**/*.ts'],
    extends: [lit['flat/recommended'], wc['flat/recommended'], litA11y.configs.recommended],
    rules: {
      // Lit calls a listener of a template with its element as `this`.
      '@typescript-eslint/unbound-method': 'off',
      // A field with `@query` is written by its decorator.
      '@typescript-eslint/prefer-readonly': 'off',
      // A dialog says where the focus starts with it (https://html.spec.whatwg.org/#the-autofocus-attribute).
      'lit-a11y/no-autofocus': 'off',
      'lit/no-legacy-imports': 'error',
      'lit/no-native-attributes': 'error',
      'lit/no-this-assign-in-render': 'error',
      'lit/no-useless-template-literals': 'error',
      'lit/quoted-expressions': ['error', 'never'],
    },
  },

  {
    files: ['scripts/**', '*.config.{js,ts}', '*.{mjs,cjs}', '.*.{mjs,cjs}'],
    rules: { 'no-restricted-syntax': ['error', syntax.steal, syntax.workerAddress] },
  },
  // JavaScript is typed by its comments where tsc checks it (scripts/), and settings are not typed at all. ESLint does not
  // see a cast that is a comment.
  {
    files: ['scripts/**/*.mjs'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // These functions build schemas, whose type is what they build.
  {
    files: ['src/domain/problem.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['*.js', '*.{mjs,cjs}', '.*.{mjs,cjs}', 'e2e/**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  { files: ['eslint.config.js'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: TESTS,
    rules: {
      // Tests try what must not work, workers from elsewhere among it.
      'no-restricted-syntax': [
        'error',
        syntax.namedExports,
        syntax.steal,
        syntax.stealLater,
        syntax.shortWait,
      ],
      // A test that finds nothing says so by itself.
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // `expect(object.method)` does not call it.
      '@typescript-eslint/unbound-method': 'off',
      // `expect.any(Number)` stands for a value of any type.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);
