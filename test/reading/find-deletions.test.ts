import { afterAll, describe, expect, it, test } from 'vitest'
import { wireRange } from '../../calendar/windows.ts'
import type { Endpoint } from '../../connectors/partner/endpoint.ts'
import type { ReadContext } from '../../reading/context.ts'
import { findDeletions } from '../../reading/deletions.ts'
import { readWindow } from '../../reading/read-window.ts'
import { startReading } from '../../reading/reading.ts'
import { NOW, START } from '../activities/record-server.ts'
import type { Rec, Synced } from '../activities/record-server.ts'
import { sized } from '../helpers/size.ts'
import { closeAll, records, start } from './deletion-server.ts'
import { createRandom } from './moving-list.ts'

/** A reading of everything until now, that keeps no page. */
function contextOf({ dependencies }: Synced, endpoint: Endpoint): ReadContext {
  const window = { startMs: START, endMs: NOW }
  return {
    store: 'downtown',
    stream: endpoint.stream,
    endpoint,
    window,
    timeZone: 'UTC',
    wire: wireRange(window, 'UTC', endpoint.stream.windowing),
    destination: dependencies.destination,
    keepPage: () => Promise.resolve(),
    backPressure: dependencies.backPressure,
    signal: new AbortController().signal,
    now: () => NOW,
  }
}

afterAll(closeAll)

describe('500 truncated or unproven readings', () => {
  const ways = {
    'a list cut off after some rows': (rows: Rec[], total: number, offset: number) => ({
      rows: rows.slice(0, Math.max(0, 7 - offset)),
      total,
    }),
    'a total above the rows': (rows: Rec[], total: number) => ({ rows, total: total + 2 }),
    'rows left out at random': (rows: Rec[], total: number, _: number, chance: () => boolean) => ({
      rows: rows.filter(chance),
      total,
    }),
    'no total, and rows left out': (rows: Rec[], _: number, __: number, chance: () => boolean) => ({
      rows: rows.filter(chance),
      total: null,
    }),
    'an empty list with a total': (_: Rec[], total: number) => ({
      rows: [],
      total: Math.max(total, 1),
    }),
  }

  it('make no tombstone, though each of them shows rows as absent (INV-5)', async () => {
    const { int } = createRandom(77)
    const api = await start({ windowing: 'full-refresh' })
    api.server.lookups = 'refuse'
    api.server.records = records(12)
    await api.sync()
    const endpoint = api.dependencies.store('downtown').endpoint(api.dependencies.stream('tickets'))
    const runs = sized(15, 500)
    const careless: number[] = []
    for (let run = 0; run < runs; run++) {
      const way = Object.values(ways)[run % Object.keys(ways).length]!
      api.server.lie = (rows, total, offset) => way(rows, total, offset, () => int(0, 1) > 0)
      // Each way is a server of its own.
      endpoint.envelope = undefined
      expect(await api.sync()).toMatchObject({ status: 'unproven' })
      expect((await api.rows()).gone).toEqual([])

      // The twin: asked about a reading that proves nothing, the same rule would have deleted
      // rows.
      const reading = startReading('twin')
      endpoint.envelope = undefined
      const context = contextOf(api, endpoint)
      await readWindow(context, reading)
      const { stream, window, destination } = context
      const known = await destination.rows.expected('downtown', stream, window)
      careless.push((await findDeletions(context, reading, known)).deleted.length)
    }
    expect(careless.filter(gone => gone > 0).length).toBeGreaterThan(runs / 3)
    api.server.lie = (rows, total) => ({ rows, total })
    endpoint.envelope = undefined
    api.server.records = records(12).slice(0, 9)
    await api.sync()
    expect((await api.rows()).gone).toEqual(['t009', 't010', 't011'])
  })
})

test('a row is not gone whose id the database keeps with U+FFFD for a NUL, as PostgreSQL does', async () => {
  const api = await start()
  api.server.records = [...records(12), { ...records(1)[0]!, id: 'a\0b' }]
  expect(await api.sync()).toMatchObject({ status: 'proven' })
  const { dependencies } = api
  const endpoint = dependencies.store('downtown').endpoint(dependencies.stream('tickets'))
  const context = contextOf(api, endpoint)
  const { destination, stream, window } = context
  const { expected } = destination.rows
  const asServer = async (...asked: Parameters<typeof expected>) =>
    (await expected(...asked)).map(row => ({ ...row, id: row.id.replaceAll('\0', '\uFFFD') }))
  const rows = { ...destination.rows, expected: asServer }
  const deletedIn = async (gone: string): Promise<readonly unknown[]> => {
    api.server.records = api.server.records.filter(({ id }) => id !== gone)
    const reading = startReading(`without ${gone}`)
    const onServer = { ...context, destination: { ...destination, rows } }
    await readWindow(onServer, reading)
    const known = await asServer('downtown', stream, window)
    return (await findDeletions(onServer, reading, known)).deleted
  }
  expect(await deletedIn('none')).toEqual([])
  // The twin: another one that is not shown any more.
  expect(await deletedIn('t003')).toHaveLength(1)
})
