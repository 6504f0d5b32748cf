import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { addPage, nextOffsets, startPass } from '../../reading/paginate.ts'
import { readWindow } from '../../reading/read-window.ts'
import { startReading } from '../../reading/reading.ts'
import type { Reading } from '../../reading/reading.ts'
import { refuseBeyond, startUse, WINDOW_LIMITS } from '../../reading/window-limits.ts'
import type { WindowLimits } from '../../reading/window-limits.ts'
import { contextOf, endpointOf, serve, tickets, ticketsOf } from './list-server.ts'
import type { Read } from './list-server.ts'

/** Reads from a list whose page at an offset `pageAt` makes up. */
async function readFrom(
  pageAt: (offset: number, limit: number) => object,
  limits: Partial<WindowLimits>,
  reading: Reading = startReading('reading'),
): Promise<{ verdict: Read['verdict']; kept: number }> {
  const endpoint = await endpointOf(query =>
    pageAt(Number(query.get('skip') ?? 0), Number(query.get('limit'))),
  )
  let kept = 0
  const keepPage = (): Promise<void> => Promise.resolve(void kept++)
  const verdict = await readWindow({ ...contextOf(endpoint), keepPage, limits }, reading)
  return { verdict, kept }
}

/** A list that always has another full page, and says no total. */
const endless = (offset: number): object => ({
  values: Array.from({ length: 5 }, (_, index) => ({ id: `t${offset + index}`, modified: 1500 })),
})

describe('a window', () => {
  it.each([
    ['pages', { pagesPerWindow: 20 }],
    ['rows', { rowsPerWindow: 100 }],
    ['MB', { megabytesPerWindow: 0.005 }],
  ])('of an endless list ends at the limit of %s, and says which', async (unit, limits) => {
    let asked = 0
    const counted = (offset: number): object => (asked++, endless(offset))
    const [name, value] = Object.entries(limits)[0]!
    await expect(readFrom(counted, limits)).rejects.toMatchObject({
      code: 'WINDOW_TOO_LARGE',
      recovery: 'park',
      message: expect.stringContaining(`no end within ${value} ${unit} (limits.${name})`) as string,
    })
    expect(asked).toBeLessThan(60)
  })

  it('of a list that grows as fast as it is read says so', async () => {
    const growing = (offset: number): object => ({ ...endless(offset), total: offset + 500 })
    await expect(readFrom(growing, { rowsPerWindow: 100 })).rejects.toMatchObject({
      message: expect.stringMatching(
        /grows while it is read, from 500 rows .* to [56]\d\d/,
      ) as string,
    })
  })

  it('that lasts too long over all of its attempts ends with that reason', async () => {
    const reading = { ...startReading('reading'), earlierMs: 180 * 60_000 }
    await expect(readFrom(endless, {}, reading)).rejects.toMatchObject({
      message: expect.stringContaining('no end within 180 minutes') as string,
    })
  })

  it('of an honest list that is as long as its limits is read, pass for pass', async () => {
    const list = ticketsOf(100)
    const { verdict } = await readFrom(
      (offset, limit) => ({ values: list.slice(offset, offset + limit) }),
      { rowsPerWindow: 150, pagesPerWindow: 40 },
    )
    expect(verdict).toMatchObject({ status: 'proven' })
  })

  it('may have as many pages as its limit says: nothing else ends a list that goes on', () => {
    const pass = startPass()
    for (let offset = 0; offset < 60_000; offset++) {
      const rows = [0, 1].map(index => ({
        id: String(offset + index),
        modified: 1500,
        created: null,
        inside: true,
      }))
      addPage(pass, { offset, rows, total: null })
    }
    expect(pass).toMatchObject({ reached: 60_001, trouble: undefined, done: false })
    expect(nextOffsets(pass, [], 1)).toEqual([60_000])
  })

  it('of a week with a million records is far from the limits, in small pages too', () => {
    const [rows, bytes] = [1_200_000, 1_000_000 * 8_000]
    const use = { ...startUse(), rows, bytes, pages: 100_000, elapsedMs: 170 * 60_000 }
    expect(() => refuseBeyond(use, WINDOW_LIMITS)).not.toThrow()
  })
})

describe('a page that is too large', () => {
  const stream = { ...tickets, pageCap: 50 }
  const list = ticketsOf(120).map(ticket => ({ ...ticket, note: 'x'.repeat(30_000) }))

  /** Each row has 30 KB, and an answer may have 1 MB: fifty rows are too many, five are not. */
  async function readLarge(limitCounts: boolean) {
    const asked: number[] = []
    const baseUrl = await serve((request, response) => {
      const query = new URL(request.url!, 'http://a').searchParams
      const limit = Number(query.get('limit'))
      asked.push(limit)
      const offset = Number(query.get('skip') ?? 0)
      const values = list.slice(offset, offset + (limitCounts ? limit : 50))
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(JSON.stringify({ values, total: list.length })))
    })
    const endpoint = await endpointOf(() => ({}), { stream })
    const keys = { partnerKey: 'p', developerKey: 'd' }
    const client = createPartnerClient({ baseUrl, ...keys, limits: { megabytesPerAnswer: 1 } })
    const reading = startReading('reading')
    const context = contextOf({ ...endpoint, client })
    try {
      return { verdict: await readWindow(context, reading), reading, asked }
    } finally {
      await client.close()
    }
  }

  it('is asked for with fewer rows, from the beginning of the list, and the window is proven', async () => {
    const { verdict, reading, asked } = await readLarge(true)
    expect(verdict).toMatchObject({ status: 'proven' })
    expect([...new Set(asked)]).toEqual([50, 5])
    expect([...reading.findings.keys()]).toEqual(['page_too_large'])
    expect(new Set(reading.staged.flat().map(({ id }) => id)).size).toBe(120)
  })

  it('is given up where fewer rows are no smaller', async () => {
    await expect(readLarge(false)).rejects.toMatchObject({ code: 'PARTNER_TOO_LARGE' })
  })
})
