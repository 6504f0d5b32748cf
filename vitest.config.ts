import { defineConfig } from 'vitest/config'

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    // Temporal's native core crashes in worker threads.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    globalSetup: ['test/helpers/once-for-all.ts'],
    // `npm run test:long`: every check at full size (test/helpers/size.ts).
    env: { TZ: 'UTC', ...(mode === 'long' ? { TILLAGE_LONG: '1' } : {}) },
  },
}))
