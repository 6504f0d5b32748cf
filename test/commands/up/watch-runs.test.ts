import { expect, test } from 'vitest'
import type { Dependencies, RunEvent } from '../../../activities/dependencies.ts'
import { watchRuns } from '../../../commands/up/watch-runs.ts'
import { openDestination, openOutboundStore } from '../../../connectors/database.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { ConfigError } from '../../../errors.ts'
import type { LogEvent } from '../../../log/log.ts'
import { bookkeeper } from '../bookkeeper.ts'

const OVER: RunEvent = {
  at: '2026-03-06T11:30:00.000Z',
  kind: 'nightly',
  store: 'downtown',
  day: '2026-03-05',
  event: 'done',
  detail: '',
}

test('the end of a night looks at no file, which somebody may be at work on', async () => {
  const { config } = await bookkeeper()
  const destination = await openDestination(config, streams)
  const outbound = await openOutboundStore(config.database)
  const said: string[] = []
  const context = {
    terminal: { json: false, log: (line: string) => void said.push(line) },
    get config(): never {
      throw new ConfigError('tillage.yaml', ['stores is missing'], 'Write them.')
    },
  }
  const dependencies: { destination: object; onRunEvent?: (event: RunEvent) => void } = {
    destination,
  }
  watchRuns({ push: { outbound }, dependencies } as never, context as never, config)
  await outbound.close()
  await destination.close()
  dependencies.onRunEvent!(OVER)
  // A question to a database that is closed: it has come that far.
  await expect.poll(() => said.join('\n')).toContain('full reconciliations could not be counted')
})

test('an outage is a line of the log when it is noticed, and one when it is over', () => {
  const said: LogEvent[] = []
  const dependencies: Partial<Pick<Dependencies, 'onOutageEvent'>> = {}
  const log = (event: LogEvent): void => void said.push(event)
  watchRuns({ dependencies } as never, { log } as never, {} as never)
  const outage = { store: 'downtown', sinceMs: Date.now() - 240_000, reason: 'connection refused' }
  dependencies.onOutageEvent!({ ...outage, event: 'api_gone' })
  dependencies.onOutageEvent!({ ...outage, event: 'api_back' })
  expect(said.map(({ level, text }) => `${level} ${text.replace(/^\S+ \S+ /, '')}`)).toEqual([
    'warning downtown: the API does not answer, and is waited for (connection refused)',
    'info downtown: the API answers again, after 240 s (connection refused)',
  ])
})
