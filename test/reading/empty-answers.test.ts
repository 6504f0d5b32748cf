import { afterAll, describe, expect, it } from 'vitest'
import { LONG } from '../helpers/size.ts'
import { closeAll, records, start } from './deletion-server.ts'

afterAll(closeAll)

describe('a list that shows nothing for a while', () => {
  const nothing = { rows: [], total: 0 }
  const LOOKUPS = ['work', 'find nothing', 'refuse'] as const
  const BEGINS = [1, 2, 4]

  /** When it begins and how long it lasts; in a short run each pair with one way to look up. */
  function whilesOf(lookups: (typeof LOOKUPS)[number]): [number, number][] {
    const lengths = LONG ? [1, 2, 3, 4, 6, 8, 12, 100] : [1, 4, 100]
    const pairs = BEGINS.flatMap((from, row) =>
      lengths.map((length, column) => ({ from, length, turn: (row + column) % LOOKUPS.length })),
    )
    return pairs
      .filter(({ turn }) => LONG || turn === LOOKUPS.indexOf(lookups))
      .map(({ from, length }) => [from, length])
  }

  it.each(LOOKUPS)(
    'proves no window that lacks rows, and marks none, whenever it begins and however long it lasts (lookups: %s)',
    async lookups => {
      let proven = 0
      for (const [from, length] of whilesOf(lookups)) {
        const api = await start()
        api.server.records = records(23)
        api.server.lookups = lookups
        let request = 0
        api.server.lie = (rows, total) =>
          ++request > from && request <= from + length ? nothing : { rows, total }
        const { status } = await api.sync()
        const { alive, gone } = await api.rows()
        expect(gone, `${from}, ${length}`).toEqual([])
        if (status === 'proven') expect(alive.length, `${from}, ${length}`).toBe(23)
        if (status === 'proven') proven++
      }
      expect(proven).toBeGreaterThan(LONG ? 5 : 0)
    },
  )

  it.each([
    [23, 'find nothing', 'absence_unclear'],
    [23, 'refuse', 'absence_unclear'],
    [250, 'find nothing', 'many_absent'],
  ] as const)(
    'after it has shown %i is not believed (lookups: %s): %s',
    async (count, lookups, reason) => {
      const api = await start()
      api.server.records = records(count)
      expect(await api.sync()).toMatchObject({ status: 'proven' })
      const { lie } = api.server
      Object.assign(api.server, { lookups, lie: () => nothing })
      expect(await api.sync()).toMatchObject({
        status: 'unproven',
        findings: [`downtown/tickets/${reason}`],
      })
      expect(await api.rows()).toMatchObject({ gone: [], alive: { length: count } })
      Object.assign(api.server, { lie })
      expect(await api.sync()).toMatchObject({ status: 'proven' })
    },
  )

  it('is not believed in another envelope either, and the window is proven again afterwards', async () => {
    const api = await start()
    api.server.records = records(23)
    expect(await api.sync()).toMatchObject({ status: 'proven' })
    const { lie } = api.server
    api.server.lie = () => ({ rows: [], total: null })
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
    for (let run = 0; run < 2; run++) {
      expect(await api.sync()).toMatchObject({ status: 'unproven' })
      expect(await api.rows()).toMatchObject({ gone: [], alive: { length: 23 } })
    }
    api.server.lie = lie
    await expect(api.sync()).rejects.toMatchObject({ code: 'PARTNER_ENVELOPE' })
    expect(await api.sync()).toMatchObject({ status: 'proven' })
  })

  it('is not believed of few rows either where it is a bare []', async () => {
    const api = await start()
    Object.assign(api.server, { records: records(3), lookups: 'refuse' })
    expect(await api.sync()).toMatchObject({ status: 'proven' })
    api.server.lie = () => ({ rows: [], total: null })
    // As after a restart: no envelope is known.
    const endpoint = api.dependencies.store('downtown').endpoint(api.dependencies.stream('tickets'))
    endpoint.envelope = undefined
    expect(await api.sync()).toMatchObject({ status: 'unproven' })
    expect((await api.rows()).gone).toEqual([])
    api.server.lie = () => nothing
    endpoint.envelope = undefined
    expect(await api.sync()).toMatchObject({ status: 'proven' })
    expect((await api.rows()).gone).toHaveLength(3)
  })

  it.each(['find nothing', 'refuse'] as const)(
    'and takes no dates is not believed either, unless it showed few (lookups: %s)',
    async lookups => {
      const api = await start({ windowing: 'full-refresh' })
      Object.assign(api.server, { records: records(23), lookups })
      expect(await api.sync()).toMatchObject({ status: 'proven' })
      api.server.lie = () => nothing
      expect(await api.sync()).toMatchObject({ status: 'unproven' })
      expect((await api.rows()).gone).toEqual([])
      const small = await start({ windowing: 'full-refresh' })
      Object.assign(small.server, { records: records(3), lookups })
      await small.sync()
      small.server.records = []
      expect(await small.sync()).toMatchObject({ status: 'proven' })
      expect((await small.rows()).gone).toHaveLength(3)
    },
  )
})
