import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { leftOutBy, partOfRun } from './test/helpers/long-files.ts'
import { LongestFirst } from './test/helpers/longest-first.ts'
import { testLimitMs } from './test/helpers/size.ts'

/** Each needs a process that nothing else was done in. */
const ALONE = [
  // Measures the memory of its process.
  'test/sandbox/model/million.test.ts',
  // Temporal's runtime is made once in a process: by the first connection, or as it is asked for.
  'test/temporal/connect.test.ts',
  'test/workflows/replay.test.ts',
]

/** `npm run test:long` adds that every check has its full size (test/helpers/size.ts). */
const ENV = {
  TZ: 'UTC',
  // However the tests were started (npx, npm run): what the program says to type is the same.
  npm_command: '',
  npm_lifecycle_event: '',
  // The program is started hundreds of times: what it is made of is compiled once.
  NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node'),
  // What a library says about its next version is for us, and a riddle to people: here it fails.
  NODE_OPTIONS: '--throw-deprecation',
}

export default defineConfig(({ mode }) => ({
  test: {
    // Temporal's native core crashes in worker threads.
    pool: 'forks',
    // Three times the cores that everything is measured on: many tests wait (servers, clocks).
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // Ends what hangs, and nothing that is slow because the machine has much else to do.
    testTimeout: testLimitMs(mode === 'long'),
    hookTimeout: testLimitMs(mode === 'long'),
    // `expect.poll` waits for what it wants to see, like `waitFor`;
    // its own second is a machine's idle one.
    expect: { poll: { timeout: 200_000, interval: 50 } },
    globalSetup: ['test/helpers/once-for-all.ts'],
    setupFiles: ['test/helpers/properties.ts', 'test/helpers/built-threads.ts'],
    env: mode === 'long' ? { ...ENV, TILLAGE_LONG: '1' } : ENV,
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...leftOutBy(partOfRun(mode))],
          // To load what a file imports takes a fifth of the time of most: once a process is
          // enough. At full size each file has a process of its own, for the memory that it needs.
          isolate: mode === 'long',
        },
      },
    ],
  },
}))
