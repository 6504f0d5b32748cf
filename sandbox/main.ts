/**
 * `node sandbox/main.ts --profile busy,cap37`: the sandbox by itself. Prints one line of JSON when
 * it is ready and goes on serving.
 */
import { parseArgs } from 'node:util'
import type { SandboxOptions } from './options.ts'
import { startSandbox } from './server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    seed: { type: 'string' },
    stores: { type: 'string' },
    days: { type: 'string' },
    until: { type: 'string' },
    'transactions-per-day': { type: 'string' },
    'record-bytes': { type: 'string' },
    profile: { type: 'string' },
    data: { type: 'string' },
  },
})

const options: SandboxOptions = {
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
  ...(values.stores === undefined ? {} : { stores: Number(values.stores) }),
  ...(values.days === undefined ? {} : { days: Number(values.days) }),
  ...(values.until === undefined ? {} : { until: values.until }),
  ...(values['transactions-per-day'] === undefined
    ? {}
    : { transactionsPerDay: Number(values['transactions-per-day']) }),
  ...(values['record-bytes'] === undefined ? {} : { recordBytes: Number(values['record-bytes']) }),
  ...(values.profile === undefined ? {} : { profiles: values.profile.split(',') }),
  ...(values.data === undefined ? {} : { data: values.data }),
}

const sandbox = await startSandbox(options)
// The function among its fields is no JSON: what is left is the documented line.
process.stdout.write(`${JSON.stringify(sandbox)}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void sandbox.close())
