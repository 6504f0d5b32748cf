import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { HOUR_MS } from './calendar/days.ts'
import { LongestFirst } from './test/helpers/longest-first.ts'

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    // Temporal's native core crashes in worker threads.
    pool: 'forks',
    // One more than the cores that everything is measured on: many tests wait for a server.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Ends what hangs, and nothing that is slow because the machine has much else to do.
    testTimeout: mode === 'long' ? 3 * HOUR_MS : HOUR_MS / 4,
    hookTimeout: mode === 'long' ? 3 * HOUR_MS : HOUR_MS / 4,
    globalSetup: ['test/helpers/once-for-all.ts'],
    // `npm run test:long`: every check at full size (test/helpers/size.ts).
    env: {
      TZ: 'UTC',
      // The program is started hundreds of times: what it is made of is compiled once.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node'),
      ...(mode === 'long' ? { TILLAGE_LONG: '1' } : {}),
    },
  },
}))
