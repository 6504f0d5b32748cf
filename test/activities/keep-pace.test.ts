import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDependencies } from '../../activities/dependencies.ts'
import { paceFileOf } from '../../connectors/local/key-shares.ts'
import { knownPace } from '../../connectors/partner/pace.ts'
import { STORE_PATH } from '../../connectors/partner/store-info.ts'
import { batches } from '../../connectors/partner/streams/batches.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { databaseFiles } from '../../disk.ts'
import { serve } from '../reading/list-server.ts'

const STORE = 'downtown'
/** So few that a busy machine asks for more, too. */
const PER_SECOND = 20

/** An API that lets through twenty requests a second, and says nothing of it but 429. */
let baseUrl: string
let folder: string
let tokens: number
let answered: number
let refused: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-pace-'))
  let filledMs = Date.now()
  tokens = PER_SECOND
  answered = refused = 0
  baseUrl = await serve((request, response) => {
    if (request.url === STORE_PATH) return void response.end('{}')
    const nowMs = Date.now()
    tokens = Math.min(PER_SECOND, tokens + ((nowMs - filledMs) / 1000) * PER_SECOND)
    filledMs = nowMs
    if (tokens >= 1) tokens--
    else response.statusCode = 429
    if (response.statusCode === 429) refused++
    else answered++
    response.end('{}')
  })
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A process that asks so often, each request again until it is answered. */
async function run(count: number, database = 'tillage.db'): Promise<void> {
  const destination = await openDestination(join(folder, database), [batches])
  const knownPerSecond = knownPace(await destination.behaviours.of(STORE), Date.now())
  const settings = {
    id: STORE,
    baseUrl,
    partnerKey: 'p',
    developerKey: 'd',
    timeZone: undefined,
    limits: { concurrency: 8, requestsPerSecond: 1000, knownPerSecond },
  }
  const dependencies = createDependencies(destination, [batches], [settings], () =>
    Promise.reject(new Error('no files here')),
  )
  const { governor, client } = dependencies.store(STORE)
  const ask = async (): Promise<void> => {
    for (;;)
      try {
        return void (await governor.run(() => client.get('/', {})))
      } catch (error) {
        if ((error as { code?: string }).code !== 'PARTNER_RATE_LIMIT') throw error
        await pause(100)
      }
  }
  try {
    await Promise.all(Array.from({ length: count }, ask))
  } finally {
    await dependencies.close()
  }
}

/** What processes of one time share: the next run has only what the database keeps. */
function forgetShared(): void {
  const path = paceFileOf(join(folder, 'tillage.db'))
  expect(existsSync(path)).toBe(true)
  for (const file of databaseFiles(path)) rmSync(file, { force: true })
}

async function kept(): Promise<{ value: string; evidence: string }[]> {
  const destination = await openDestination(join(folder, 'tillage.db'), [batches])
  try {
    return await destination.behaviours.of(STORE)
  } finally {
    await destination.close()
  }
}

test('a run begins at the pace that the last one has found, and is not refused', async () => {
  // A pace is found once eighty are let through in a row, which a busy machine may not do at once.
  let asked = 0
  do {
    await run(200)
    asked += 200
  } while (asked < 1000 && (await kept()).length === 0)
  expect(answered).toBe(asked)
  expect(refused).toBeGreaterThan(0)
  const [fact] = await kept()
  expect(fact).toMatchObject({
    name: 'requests a second',
    evidence: expect.stringContaining('429'),
  })
  expect(Number(fact!.value)).toBeGreaterThan(0.4 * PER_SECOND)
  // A busy machine that asks late finds the limit together with what had flowed into the bucket.
  expect(Number(fact!.value)).toBeLessThan(1.6 * PER_SECOND)
  forgetShared()
  tokens = PER_SECOND
  refused = 0
  // At the pace of a run that knows nothing these would be refused.
  await run(60)
  expect(answered).toBe(asked + 60)
  expect(refused).toBe(0)
  expect((await kept())[0]).toEqual(fact)
})

test('two processes at once share a limit that neither knows: all is answered, and few are refused', async () => {
  await Promise.all([run(100), run(100, 'other.db')])
  expect(answered).toBe(200)
  expect(refused).toBeLessThan(40)
})
