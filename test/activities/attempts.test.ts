import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseError, PartnerError } from '../../errors.ts'
import { START, startRecords } from './record-server.ts'
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
const unreachable = (): Error => new PartnerError('PARTNER_UNREACHABLE', 'for a moment')

describe('an attempt at a window', () => {
  it('that ran into a full disk leaves nothing behind, and the next one is whole', async () => {
    const mend = failAtSecondPage(new DatabaseError('DATABASE_FULL', 'no room'))
    await expect(api.sync()).rejects.toMatchObject({ code: 'DATABASE_FULL' })
    expect(api.dependencies.readings.size).toBe(0)
    expect(discarded).toHaveLength(1)
    mend()
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('counts no page that was not kept, and goes on with those that were', async () => {
    const mend = failAtSecondPage(unreachable())
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNREACHABLE' })
    mend()
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 23 } })
  })

  it('that takes too long ends by itself, keeps what it has read, and the next one goes on with the rest', async () => {
    const fresh = await startRecords()
    open.push(fresh)
    fresh.server.records = api.server.records = records(83)
    await fresh.sync()
    api.dependencies.longestAttemptMs = 1000
    let slow = true
    api.server.hold = path =>
      slow && path === '/api/tickets' && api.server.asked.length > 8
        ? new Promise(() => {})
        : undefined
    await expect(api.sync()).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('not enough') as string,
    })
    const asked = api.server.asked.length
    expect(discarded).toEqual([])
    slow = false
    api.dependencies.longestAttemptMs = 60_000
    expect(await api.sync()).toMatchObject({ status: 'proven', counts: { inserted: 83 } })
    // What landed in the first attempt is not asked for again; what was under way is, at most four.
    expect(api.server.asked.length - asked).toBeLessThanOrEqual(fresh.server.asked.length - 8 + 4)
  })

  it('that nobody has come back for is forgotten, with its pages', async () => {
    failAtSecondPage(unreachable())
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_UNREACHABLE' })
    expect(api.dependencies.readings.size).toBe(1)
    const { now } = api.dependencies
    api.dependencies.now = () => now() + 3 * 3_600_000
    failAtSecondPage(unreachable())
    await expect(api.sync(START + 1)).rejects.toMatchObject({ code: 'PARTNER_UNREACHABLE' })
    expect(
      [...api.dependencies.readings.keys()].filter(key =>
        key.includes(new Date(START).toISOString()),
      ),
    ).toEqual([])
    expect(api.dependencies.readings.size).toBe(1)
    expect(discarded).toHaveLength(1)
  })
})
