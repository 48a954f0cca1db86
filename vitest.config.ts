import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __ROTA_BUILD__: '"unit"', __ROTA_BUILT_AT__: '0', __ROTA_TEST__: 'true' },
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'e2e/**/*.test.ts'],
    environment: 'node',
    // A test that needs another to have run before it fails here and not on the day someone runs it alone.
    sequence: { shuffle: { tests: true, files: false } },
    // Properties and interleavings on a slow shared machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The default of one second is shorter than another program may have the processor.
    expect: { poll: { timeout: 25_000 } },
    unstubGlobals: true,
    restoreMocks: true,
  },
});
