import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, RANGE, startProject } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, days: 3, transactionsPerDay: 5 })
})
afterAll(() => started.close())

const quantities = streams.find(({ parent }) => parent?.parameter === 'inventoryId')!
const rooms = quantities.parent!.stream

async function read(
  name: string,
): Promise<{ status: number | null; windows: object; fetched: number; evidence: string }> {
  const { status, stdout } = await started.project.run('sync', name, ...RANGE, '--again', '--json')
  const stream = (JSON.parse(stdout) as SyncReport).stores[0]!.streams[0]!
  return {
    status,
    windows: stream.windows,
    fetched: stream.records.fetched,
    evidence: String(
      started.project.query(`SELECT evidence FROM windows WHERE stream = '${name}'`)[0],
    ),
  }
}

describe('a list that exists once for each record of another', () => {
  test('is not read before that other list was proven', async () => {
    const { status, evidence } = await read(quantities.name)
    expect(status).toBe(3)
    expect(evidence).toContain('NOT_PROVEN')
  })

  test('is read for each of them, and proven only if each list is', async () => {
    expect((await read(rooms)).status).toBe(0)
    const { status, windows, evidence } = await read(quantities.name)
    expect({ status, windows }).toEqual({ status: 0, windows: { proven: 1, unproven: 0 } })
    const listed = started.project.query(`SELECT count(*) FROM ${rooms}`)[0] as number[]
    expect(evidence).toContain(`each of ${listed[0]} lists`)
    expect(
      started.project.query(
        `SELECT count(*) > 0, count(DISTINCT id) = count(*) FROM ${quantities.name}`,
      ),
    ).toEqual([[1, 1]])
    expect(
      started.project.query(
        `SELECT count(*) FROM ${quantities.name} WHERE inventory_id NOT IN (SELECT id FROM ${rooms})`,
      ),
    ).toEqual([[0]])

    expect(JSON.parse(JSON.parse(`"${evidence.replaceAll('"', '\\"')}"`) as string)).toMatchObject({
      parent: { stream: rooms, values: listed[0] },
    })

    const [room] = started.project.query(`SELECT id FROM ${rooms} ORDER BY id`)[0] as string[]
    await control(started.sandbox, 'POST', 'faults', { match: `inventoryId=${room}`, status: 400 })
    expect(await read(quantities.name)).toMatchObject({
      status: 3,
      windows: { proven: 0, unproven: 1 },
    })
  })
  test('marks nothing as gone in a list that is not asked for any more', async () => {
    await control(started.sandbox, 'DELETE', 'faults')
    const [room] = started.project.query(
      `SELECT inventory_id FROM ${quantities.name} GROUP BY 1 ORDER BY count(*) DESC`,
    )[0] as string[]
    await control(started.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: rooms,
      op: 'delete',
      id: room,
    })
    expect((await read(rooms)).status).toBe(0)
    const living = `SELECT count(*) FROM ${quantities.name} WHERE deleted_at IS NULL`
    const before = started.project.query(living)
    expect(await read(quantities.name)).toMatchObject({ status: 0, windows: { proven: 1 } })
    expect(started.project.query(living)).toEqual(before)
  })
})
