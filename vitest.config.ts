import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { HOUR_MS } from './calendar/days.ts'
import { LongestFirst } from './test/helpers/longest-first.ts'

/** Each needs a process that nothing else was done in. */
const ALONE = [
  // Measures the memory of its process.
  'test/sandbox/model/million.test.ts',
  // Temporal's runtime is made once in a process: by the first connection, or as it is asked for.
  'test/temporal/connect.test.ts',
  'test/workflows/replay.test.ts',
]

export default defineConfig(({ mode }) => ({
  test: {
    // Temporal's native core crashes in worker threads.
    pool: 'forks',
    // Twice the cores that everything is measured on: many tests wait for a server.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Ends what hangs, and nothing that is slow because the machine has much else to do.
    testTimeout: mode === 'long' ? 3 * HOUR_MS : HOUR_MS / 4,
    hookTimeout: mode === 'long' ? 3 * HOUR_MS : HOUR_MS / 4,
    // `expect.poll` waits for what it wants to see, like `waitFor`;
    // its own second is a machine's idle one.
    expect: { poll: { timeout: 200_000, interval: 20 } },
    globalSetup: ['test/helpers/once-for-all.ts'],
    // `npm run test:long`: every check at full size (test/helpers/size.ts).
    env: {
      TZ: 'UTC',
      // However the tests were started (npx, npm run): what the program says to type is the same.
      npm_command: '',
      npm_lifecycle_event: '',
      // The program is started hundreds of times: what it is made of is compiled once.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node'),
      ...(mode === 'long' ? { TILLAGE_LONG: '1' } : {}),
    },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          // To load what a file imports takes a fifth of the time of most: once a process is
          // enough. At full size each file has a process of its own, for the memory that it needs.
          isolate: mode === 'long',
        },
      },
    ],
  },
}))
