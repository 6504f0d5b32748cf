import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import { tellOpen } from '../../commands/up/tell-open.ts'
import type { NoticeDocument } from '../../notify/document.ts'
import { waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import { receiveWeb } from './receivers.ts'
import type { WebReceiver } from './receivers.ts'
import { workerIsUp } from './scene.ts'

const STORES = Array.from({ length: 50 }, (_, at) => `store-${at}`)
const T0 = Date.parse('2026-03-12T10:30:00Z')
const DAY = '2026-03-11'

let running: Running
let web: WebReceiver
beforeAll(async () => {
  web = await receiveWeb()
  const keys = { baseUrl: 'http://127.0.0.1:1', partnerKey: 'p', timeZone: 'UTC' }
  const stores = STORES.map(id => ({ id, ...keys, developerKey: `key of ${id}` }))
  const notify = { channels: [{ id: 'ops', url: web.url }] }
  running = await startRunning({ days: 1, transactionsPerDay: 1 }, { stores, notify })
})
afterAll(async () => {
  await running.close()
  await web.close()
})

/** As a night notes it, of each store. */
async function note(outcome: 'answered' | 'failed', atMs: number): Promise<void> {
  const { attempts, runs } = running.worker.dependencies.destination
  const why = outcome === 'failed' ? { code: 'PARTNER_UNREACHABLE', detail: 'no answer' } : {}
  const at = toIso(atMs)
  for (const store of STORES) {
    const run = { kind: 'nightly', store, day: DAY } as const
    await runs.begin({ ...run, dueAt: at, deadlineAt: undefined, startedAt: at })
    await attempts.keep({ code: undefined, detail: undefined, ...why, store, at, outcome })
  }
}

test('an outage that takes fifty stores down is one call with fifty lines, and one at its end', async () => {
  const { worker, config } = running
  const watched = { config, worker, knownWorker: workerIsUp, firstSeen: new Map<string, number>() }
  const tellAt = async (nowMs: number): Promise<void> => {
    worker.dependencies.now = () => nowMs
    await tellOpen(watched, new AbortController().signal)
    const { notices } = worker.dependencies.destination
    await waitFor(async () => (await notices.waiting()).length === 0, 'everything to be sent')
  }
  await note('failed', T0)
  await tellAt(T0 + 29 * MINUTE_MS)
  expect(web.came).toEqual([])
  await tellAt(T0 + 30 * MINUTE_MS)
  await note('answered', T0 + HOUR_MS)
  await tellAt(T0 + HOUR_MS)
  const told = web.came.map(({ body }) => JSON.parse(body) as NoticeDocument)
  expect(told.map(({ kind, state, title }) => [kind, state, title])).toEqual([
    ['store_unreachable', 'opened', '50 stores: the API does not answer'],
    ['store_unreachable', 'closed', 'Over: 50 stores: the API does not answer'],
  ])
  expect(told[0]!.text.split('\n')).toHaveLength(50)
})
