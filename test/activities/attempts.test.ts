import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseError } from '../../errors.ts'
import { createBackPressure } from '../../reading/back-pressure.ts'
import { HOUR, NOW, START, startRecords } from './record-server.ts'
import type { Rec, Synced } from './record-server.ts'

const records = (count: number): Rec[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `t${String(index).padStart(3, '0')}`,
    modified: START + 3_600_000 + index * 60_000,
  }))
const open: Synced[] = []
let api: Synced
beforeEach(async () => {
  api = await startRecords()
  open.push(api)
  api.server.records = records(23)
  discarded = []
  const { windows } = api.dependencies.destination
  const { discard } = windows
  windows.discard = reading => {
    discarded.push(reading)
    return discard(reading)
  }
})
afterAll(() => Promise.all(open.map(synced => synced.close())))

/** Readings whose pages were given up. */
let discarded: string[]

/** The second page from now on cannot be kept; answers what puts that right. */
function failAtSecondPage(failure: Error): () => void {
  const { windows } = api.dependencies.destination
  const { stage } = windows
  let pages = 0
  windows.stage = page => (++pages === 2 ? Promise.reject(failure) : stage(page))
  return () => void (windows.stage = stage)
}
/** The second request from now on fails, and that is all. */
function failSecondRequest(): void {
  const before = api.server.asked.length
  api.server.fails = () => api.server.asked.length === before + 2
}

describe('an attempt at a window', () => {
  it('that ran into a full disk leaves nothing behind, and the next one is whole', async () => {
    const repair = failAtSecondPage(new DatabaseError('DATABASE_FULL', 'no room'))
    await expect(api.sync()).rejects.toMatchObject({ code: 'DATABASE_FULL' })
    expect(api.dependencies.readings.size).toBe(0)
    expect(discarded).toHaveLength(1)
    repair()
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('counts no page that was not kept: the next one begins anew', async () => {
    const repair = failAtSecondPage(new DatabaseError('DATABASE_BUSY', 'for a moment'))
    await expect(api.sync()).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
    expect(api.dependencies.readings.size).toBe(0)
    expect(discarded).toHaveLength(1)
    repair()
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('goes on with the pages that were kept where the API failed', async () => {
    api.server.fails = () => api.server.asked.length === 3
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    expect(api.dependencies.readings.size).toBe(1)
    const asked = api.server.asked.length
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
    expect(discarded).toEqual([])
    expect(api.server.asked.length - asked).toBeLessThan(4)
  })

  it.each([
    ['another run', () => void (api.server.workflow.runId = 'another')],
    ['an attempt hours later', () => void (api.dependencies.now = () => NOW + 3 * HOUR)],
  ])('leaves nothing to %s, which would prove old pages as read now', async (_, change) => {
    failSecondRequest()
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    api.server.records = records(23).map(record => ({ ...record, deleted: true }))
    change()
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
    const { rows } = await sql`SELECT id FROM tickets WHERE raw ->> 'deleted'`.execute(
      api.dependencies.destination.db,
    )
    expect(rows).toHaveLength(23)
    expect(discarded).toHaveLength(1)
  })

  it('whose activity has no time left ends at once, and the next one goes on', async () => {
    api.dependencies.longestAttemptMs = 0
    api.server.hold = () => new Promise(resolve => setTimeout(resolve, 20))
    await expect(api.sync()).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('not enough') as string,
    })
    api.dependencies.longestAttemptMs = 60_000
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('is not judged before all of its pages are kept, and fetching goes on meanwhile', async () => {
    const { windows } = api.dependencies.destination
    const { stage } = windows
    const held = Promise.withResolvers<void>()
    windows.stage = async page => {
      await held.promise
      return stage(page)
    }
    const synced = api.sync()
    // Every page and the closing look, while not one of them is kept.
    await expect.poll(() => api.server.asked.length).toBeGreaterThanOrEqual(7)
    expect(await api.rows()).toEqual({ alive: [], gone: [] })
    held.resolve()
    expect(await synced).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('waits for the destination where too much is under way', async () => {
    const { windows } = api.dependencies.destination
    const { stage } = windows
    const [held, underWay] = [Promise.withResolvers<void>(), new Set<object>()]
    api.dependencies.backPressure = createBackPressure(1)
    windows.stage = async page => {
      underWay.add(page)
      await held.promise
      await stage(page)
      underWay.delete(page)
      expect(underWay.size).toBe(0)
    }
    const synced = api.sync()
    await expect.poll(() => underWay.size).toBe(1)
    held.resolve()
    expect(await synced).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('that takes too long ends by itself, keeps what it has read, and the next one goes on with the rest', async () => {
    const fresh = await startRecords()
    open.push(fresh)
    fresh.server.records = api.server.records = records(83)
    await fresh.sync()
    const outOfTime = new AbortController()
    let slow = true
    let held = 0
    api.server.hold = path => {
      if (!slow || path !== '/api/tickets' || api.server.asked.length <= 8) return undefined
      // As many as are asked for at once: what was asked for before has landed.
      if (++held === 4) outOfTime.abort()
      return new Promise(() => {})
    }
    await expect(api.sync(undefined, undefined, outOfTime.signal)).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('not enough') as string,
    })
    const asked = api.server.asked.length
    expect(discarded).toEqual([])
    slow = false
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 83 } })
    // What landed in the first attempt is not asked for again; what was under way is, at most four.
    expect(api.server.asked.length - asked).toBeLessThanOrEqual(fresh.server.asked.length - 8 + 4)
  })

  it('that is never resumed is dropped, with its pages', async () => {
    failSecondRequest()
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    expect(api.dependencies.readings.size).toBe(1)
    const { now } = api.dependencies
    api.dependencies.now = () => now() + 3 * 3_600_000
    failSecondRequest()
    await expect(api.sync(START + 1)).rejects.toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
    expect(
      [...api.dependencies.readings.keys()].filter(key =>
        key.includes(new Date(START).toISOString()),
      ),
    ).toEqual([])
    expect(api.dependencies.readings.size).toBe(1)
    expect(discarded).toHaveLength(1)
  })
})
