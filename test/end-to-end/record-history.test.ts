import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, RANGE, startProject } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
const json = async (...args: string[]): Promise<{ status: number | null; said: unknown }> => {
  const { status, stdout } = await started.project.run(...args, '--json')
  return { status, said: JSON.parse(stdout) }
}
const change = (op: string, body: object): Promise<unknown> =>
  control(started.sandbox, 'POST', 'records', { store: 'downtown', stream: 'vendors', op, ...body })
const sync = (): Promise<{ status: number | null }> =>
  started.project.run('sync', 'vendors', ...RANGE)

beforeAll(async () => {
  started = await startProject({ stores: 1 })
  expect((await sync()).status).toBe(0)
})
afterAll(() => started.close())

test('a record that is edited, deleted and restored has a history, with values only if asked for', async () => {
  const [id] = started.project.query('SELECT id FROM vendors ORDER BY id LIMIT 1')[0] as [string]
  await change('edit', { id, patch: { name: 'Renamed Farms' } })
  await sync()
  await change('delete', { id })
  await sync()
  expect(
    started.project.query(`SELECT deleted, deleted_because FROM vendors WHERE id = '${id}'`),
  ).toEqual([[1, 'absent']])

  const { status, said } = await json('history', 'vendors', id)
  expect(status).toBe(0)
  expect(said).toMatchObject({
    stream: 'vendors',
    id,
    versions: [
      { state: 'stood', changes: [] },
      { state: 'stood' },
      { state: 'stands, gone', changes: [] },
    ],
  })
  expect(JSON.stringify(said)).not.toContain('Renamed Farms')
  expect((await json('history', 'vendors', id, '--values')).said).toMatchObject({
    versions: [
      {},
      {
        changes: expect.arrayContaining([
          expect.objectContaining({ field: 'name', to: 'Renamed Farms' }),
        ]) as unknown,
      },
      {},
    ],
  })
  expect((await started.project.run('history', 'vendors', 'nobody')).status).toBe(2)
})

test('a rejected record is listed without values, shown, refused again, and discarded with a trace', async () => {
  await change('insert', {
    record: { id: 'bad', name: 'Odd Farms', credits: 'a lot', created: 'once', active: 'y' },
  })
  expect((await sync()).status).toBe(3)
  const listed = await started.project.run('dead-letters', 'list', '--stream', 'vendors')
  const [[reason]] = started.project.query('SELECT reason FROM dead_letters') as [[string]]
  expect(listed.stdout.replaceAll(/\s+/g, ' ')).toContain(reason)
  expect(listed.status).toBe(3)
  expect(listed.stdout).toContain('credits: expected decimal')
  expect(listed.stdout).not.toContain('Odd Farms')
  expect((await started.project.run('dead-letters', 'show', 'bad')).stdout).toContain('Odd Farms')
  expect(await json('dead-letters', 'replay')).toEqual({
    status: 3,
    said: { replayed: [{ store: 'downtown', stream: 'vendors', resolved: [], refused: ['bad'] }] },
  })
  expect((await started.project.run('dead-letters', 'discard', 'bad')).status).toBe(2)
  expect(
    (await started.project.run('dead-letters', 'discard', 'nobody', '--reason', 'x')).status,
  ).toBe(2)
  expect(
    (await json('dead-letters', 'discard', 'bad', '--reason', 'a test', '--by', 'Ada')).said,
  ).toMatchObject({ discarded: 1, by: 'Ada' })
  expect((await json('dead-letters', 'list')).status).toBe(0)
  expect(
    started.project.query('SELECT record_key, discarded_by, discard_reason FROM discarded_letters'),
  ).toEqual([['bad', 'Ada', 'a test']])
  // It is read again, as it was, and nobody has to look at it a second time.
  expect((await sync()).status).toBe(0)
})

test('every run over the days of a dead letter reports it until somebody settles it', async () => {
  await control(started.sandbox, 'POST', 'records', {
    store: 'downtown',
    stream: 'transactions',
    op: 'insert',
    record: {
      id: 'odd',
      created: Date.parse('2026-03-06T20:00:00Z'),
      modified: Date.parse('2026-03-06T20:00:00Z'),
      cart: { total: 'a lot' },
    },
  })
  const days = (from: string, to: string): Promise<{ status: number | null; said: unknown }> =>
    json('sync', 'transactions', '--from', from, '--to', to)
  const [first, again, elsewhere] = [
    await days('2026-03-05', '2026-03-08'),
    await days('2026-03-05', '2026-03-08'),
    await days('2026-03-12', '2026-03-14'),
  ]
  const told = (deadLettered: number, deadLetters: number): object => ({
    stores: [{ streams: [{ records: { deadLettered }, deadLetters }] }],
  })
  expect(first).toMatchObject({ status: 3, said: told(1, 1) })
  expect(again).toMatchObject({ status: 3, said: told(0, 1) })
  expect(elsewhere).toMatchObject({ status: 0, said: told(0, 0) })
  await json('dead-letters', 'discard', 'odd', '--reason', 'a test', '--by', 'Ada')
  expect(await days('2026-03-05', '2026-03-08')).toMatchObject({ status: 0, said: told(0, 0) })
})
