import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beginRun } from '../../activities/begin-run.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { StoreSettings } from '../../activities/dependencies.ts'
import { identifyStore } from '../../activities/identify-store.ts'
import { batches } from '../../connectors/partner/streams/batches.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { serve } from '../reading/list-server.ts'

/** What `GET /store` answers to each developer key; any other key is not found. */
let answers: Record<string, unknown>
let baseUrl: string
let folder: string

const shop = (id: string, more: object = {}): unknown => ({
  shop: { id, companyId: 'C1', name: 'A shop', timeZone: 'America/Los_Angeles', ...more },
})

beforeEach(async () => {
  answers = {}
  folder = mkdtempSync(join(tmpdir(), 'tillage-identity-'))
  baseUrl = await serve((request, response) => {
    const answer = answers[String(request.headers.authorization)]
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { message: 'no such endpoint' }))
  })
})
afterEach(() => rmSync(folder, { recursive: true }))

type Entry = { id: string; key: string } & Partial<StoreSettings>

/** One run of the program over these entries of tillage.yaml, and what it says of each. */
async function identify(...entries: Entry[]): Promise<Record<string, unknown>> {
  const destination = await openDestination(join(folder, 'tillage.db'), [batches])
  const settings = entries.map(({ id, key, ...more }) => ({
    id,
    baseUrl,
    partnerKey: 'p',
    developerKey: key,
    timeZone: undefined,
    limits: { concurrency: 2, requestsPerSecond: 100 },
    ...more,
  }))
  const dependencies = createDependencies(destination, [batches], settings, () =>
    Promise.reject(new Error('no files here')),
  )
  try {
    const all = entries.map(async ({ id }) => [
      id,
      await identifyStore(dependencies, { store: id }, new AbortController().signal).catch(
        (error: { code: string; message: string; remedy: string }) =>
          `${error.code} ${error.message} ${error.remedy}`,
      ),
    ])
    return Object.fromEntries(await Promise.all(all)) as Record<string, unknown>
  } finally {
    await dependencies.close()
  }
}

const rows = (sql: string): unknown[] => {
  const database = new Database(join(folder, 'tillage.db'))
  try {
    return database.prepare(sql).raw().all()
  } finally {
    database.close()
  }
}
const addWindow = (store: string): void => {
  const database = new Database(join(folder, 'tillage.db'))
  database
    .prepare(`INSERT INTO windows VALUES (?, 'batches', ?, ?, 'proven', '{}')`)
    .run(store, '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z')
  database.close()
}
const identified = (timeZone: string): unknown => expect.objectContaining({ timeZone, parents: {} })
const GOOD = identified('America/Los_Angeles')

describe('one shop under two ids', () => {
  test('an id that was changed in tillage.yaml is refused, with the command that keeps the history', async () => {
    answers['k'] = shop('S1')
    expect(await identify({ id: 'sunset', key: 'k' })).toEqual({ sunset: GOOD })
    const { sunrise } = await identify({ id: 'sunrise', key: 'k' })
    expect(sunrise).toContain('STORE_TWICE')
    expect(sunrise).toContain('shop S1, which is already here as sunset')
    expect(sunrise).toContain('tillage store rename sunset sunrise')
    expect(rows('SELECT store_id FROM stores')).toEqual([['sunset']])
    expect(rows('SELECT DISTINCT store_id FROM behaviours')).toEqual([['sunset']])
    expect(await identify({ id: 'sunset', key: 'k' })).toEqual({ sunset: GOOD })
  })

  test('two entries with one key are both refused', async () => {
    answers['k'] = shop('S1')
    const { a, b } = await identify({ id: 'a', key: 'k' }, { id: 'b', key: 'k' })
    expect(a).toContain('STORE_TWICE a and b of tillage.yaml have the same developer key')
    expect(b).toContain('STORE_TWICE')
    expect(rows('SELECT * FROM stores')).toEqual([])
  })

  test('of two keys of one shop that come at the same time, one is refused', async () => {
    answers['k'] = shop('S1')
    answers['l'] = shop('S1')
    const said = Object.values(await identify({ id: 'a', key: 'k' }, { id: 'b', key: 'l' }))
    expect(said.filter(one => String(one).startsWith('STORE_TWICE'))).toHaveLength(1)
    expect(said).toContainEqual(GOOD)
    expect(rows('SELECT count(*) FROM stores')).toEqual([[1]])
  })

  test('other shops, other companies and other platforms are other stores', async () => {
    answers['k'] = shop('S1')
    answers['l'] = shop('S2')
    answers['m'] = shop('S1', { companyId: 'C2' })
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost')
    expect(
      await identify(
        { id: 'a', key: 'k' },
        { id: 'b', key: 'l' },
        { id: 'c', key: 'm' },
        { id: 'd', key: 'k', baseUrl: elsewhere },
      ),
    ).toEqual({ a: GOOD, b: GOOD, c: GOOD, d: GOOD })
  })

  test('an API that does not identify the shop stops nothing, and a finding says so', async () => {
    const timeZone = 'America/Los_Angeles'
    answers['l'] = { shop: { name: 'A shop without an id' } }
    expect(
      await identify({ id: 'a', key: 'k', timeZone }, { id: 'b', key: 'l', timeZone }),
    ).toEqual({ a: GOOD, b: GOOD })
    expect(rows('SELECT store_id, code FROM findings ORDER BY 1')).toEqual([
      ['a', 'store_not_identified'],
      ['b', 'store_not_identified'],
    ])
  })

  test('a night of which nobody knows the zone has failed, and its row says why', async () => {
    const destination = await openDestination(join(folder, 'tillage.db'), [batches])
    const settings = [
      {
        id: 'a',
        baseUrl,
        partnerKey: 'p',
        developerKey: 'k',
        timeZone: undefined,
        limits: { concurrency: 2, requestsPerSecond: 100 },
      },
    ]
    const dependencies = createDependencies(destination, [batches], settings, () =>
      Promise.reject(new Error('no files here')),
    )
    try {
      const night = {
        kind: 'nightly',
        store: 'a',
        scheduledAt: '2026-03-10T11:30:00.000Z',
      } as const
      await expect(
        beginRun(dependencies, night, new AbortController().signal),
      ).rejects.toMatchObject({ code: 'STORE_UNKNOWN' })
      expect(await destination.runs.newest('nightly', 'a', 9)).toMatchObject([
        {
          day: '2026-03-09',
          outcome: 'failed',
          attempts: 1,
          detail: expect.stringMatching(/^STORE_UNKNOWN: /) as string,
        },
      ])
    } finally {
      await dependencies.close()
    }
  })

  test('a zone that nobody says is asked for, with the refusal where there was one', async () => {
    answers['l'] = shop('S1', { timeZone: undefined })
    answers['m'] = { message: 'busy', errorType: 'a.BusyException' }
    const { a, b, c } = await identify(
      { id: 'a', key: 'k' },
      { id: 'b', key: 'l' },
      { id: 'c', key: 'm' },
    )
    expect(a).toMatch(
      /^STORE_UNKNOWN .*zone a is: GET \/api\/v1\/partner\/store of .* answered 404/,
    )
    expect(a).toMatch(
      /If it refuses all, check baseUrl .* If it refuses this alone: Write timeZone:/,
    )
    expect(b).toMatch(/^STORE_UNKNOWN the API does not say in which time zone b is Write timeZone:/)
    expect(c).toMatch(/zone c is: GET .* an error body under status 200 If it refuses this alone/)
  })

  test.each([
    ['does not answer it', undefined],
    ['answers an error under status 200', { message: 'busy', errorType: 'a.BusyException' }],
    ['names no shop', { shop: { timeZone: 'America/Los_Angeles' } }],
  ])('an API that %s once is still held to the shop that it named before', async (_, answer) => {
    answers['k'] = shop('S1')
    expect(await identify({ id: 'a', key: 'k' })).toEqual({ a: GOOD })
    if (answer === undefined) delete answers['k']
    else answers['k'] = answer
    expect(await identify({ id: 'a', key: 'k' })).toEqual({ a: GOOD })
    expect(rows('SELECT company_id, shop_id, name FROM stores')).toEqual([['C1', 'S1', 'A shop']])
    answers['k'] = shop('S2')
    expect((await identify({ id: 'a', key: 'k' }))['a']).toContain(
      'STORE_UNKNOWN the developer key of a now answers for another shop (S2)',
    )
  })

  test('a database that has a shop twice from before goes on, and a finding names the twin', async () => {
    answers['k'] = shop('S1')
    await identify({ id: 'a', key: 'k' })
    const database = new Database(join(folder, 'tillage.db'))
    database.exec(
      `INSERT INTO stores SELECT 'b', company_id, shop_id, name, time_zone, checked_at, NULL FROM stores`,
    )
    database.close()
    expect(await identify({ id: 'b', key: 'k' })).toEqual({ b: GOOD })
    expect(rows('SELECT store_id, code, detail FROM findings')).toEqual([
      ['b', 'shop_under_two_ids', 'shop S1 is in the database as b and as a'],
    ])
  })
})

describe('the zone of a store', () => {
  test('that differs from what the API says is refused, unless tillage.yaml says that it is right', async () => {
    answers['k'] = shop('S1')
    const wrong = { id: 'a', key: 'k', timeZone: 'America/New_York' }
    expect((await identify(wrong))['a']).toMatch(
      /STORE_ZONE .*America\/New_York.*America\/Los_Angeles.*timeZoneIsRight/,
    )
    expect(rows('SELECT * FROM stores')).toEqual([])
    expect(await identify({ ...wrong, timeZoneIsRight: true })).toEqual({
      a: identified('America/New_York'),
    })
  })

  test('may be written by another name of the same zone', async () => {
    answers['k'] = shop('S1')
    expect(await identify({ id: 'a', key: 'k', timeZone: 'US/Pacific' })).toEqual({
      a: identified('US/Pacific'),
    })
  })

  test('changes freely while nothing was read, and is a decision once something was', async () => {
    answers['k'] = shop('S1')
    await identify({ id: 'a', key: 'k' })
    answers['k'] = shop('S1', { timeZone: 'America/New_York' })
    expect(await identify({ id: 'a', key: 'k' })).toEqual({
      a: identified('America/New_York'),
    })
    addWindow('a')
    answers['k'] = shop('S1')
    expect((await identify({ id: 'a', key: 'k' }))['a']).toMatch(
      /STORE_ZONE .*read with the zone America\/New_York.*tillage store zone a America\/Los_Angeles --dry-run shows the consequences/,
    )
    expect(rows('SELECT time_zone FROM stores')).toEqual([['America/New_York']])
  })
})
