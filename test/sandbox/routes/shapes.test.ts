import { expect, it } from 'vitest'
import { operations } from '../../../connectors/partner/contract/index.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import { dailyStreams, streams } from '../../../connectors/partner/streams/index.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { dayOf } from '../../../sandbox/values/calendar.ts'
import { explainRecord } from '../../connectors/explain-record.ts'
import { CORE } from '../../helpers/project.ts'
import type { Page, Row } from '../asking.ts'
import { ask, askJson, control, sandboxWith, truth } from '../asking.ts'

it.each(
  streams.filter(({ name }) => CORE.includes(name)).map(stream => [stream.name, stream] as const),
)('writes every record of %s in the shape that its stream declares', async (name, stream) => {
  const sandbox = await sandboxWith({ stores: 2, transactionsPerDay: 40 })
  for (const [store] of sandbox.stores.entries()) {
    const rows = await truth(sandbox, name, '&full=1', store)
    expect(rows.length).toBeGreaterThan(20)
    for (const row of rows) {
      expect(explainRecord(stream, row)).toEqual([])
      expect(stream.eventTimes.some(path => Number.isInteger(row[path]))).toBe(true)
    }
    for (const [table, child] of Object.entries(stream.children)) {
      const children = rows.map(row =>
        child.path
          .split('.')
          .reduce<unknown>((inner, key) => (inner as Row | null | undefined)?.[key], row),
      )
      expect([
        table,
        children.filter(list => Array.isArray(list) && list.length > 0).length > rows.length / 2,
      ]).toEqual([table, true])
    }
  }
  const page = await askJson<Page>(
    sandbox,
    `${stream.path.replace('/api/v1/partner', '')}?${stream.offset}=1&limit=1`,
  )
  expect(page.skip).toBe(1)
})

/** What the sandbox plays is what the documentation has. */
const isDocumented = ({ path }: Stream): boolean =>
  operations.some(operation => operation.method === 'GET' && operation.path === path)

it('is asked for lists of the documentation alone', () => {
  expect(isDocumented(dailyStreams[0]!)).toBe(true)
  expect(isDocumented({ ...dailyStreams[0]!, path: '/api/v1/partner/unheard-of' })).toBe(false)
})

it.each(
  dailyStreams
    .filter(stream => isDocumented(stream) && !CORE.includes(stream.name))
    .map(stream => [stream.name, stream] as const),
)('answers the list of %s in the shape that its stream declares', async (_, stream) => {
  const sandbox = await sandboxWith({ stores: 1 })
  const body = Buffer.from(
    (await ask(sandbox, `${stream.path.replace('/api/v1/partner', '')}?limit=${stream.pageCap}`))
      .text,
  )
  const page = createPageReader(stream)(body, { startMs: -Infinity, endMs: Infinity })
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown>
  const listed = page.listPath === '$' ? answer : answer[page.listPath.slice(2)]
  const records =
    typeof stream.answers === 'object' ? [answer[stream.answers.record]] : (listed as unknown[])
  expect(page.rows).toHaveLength(records.length)
  expect(records.flatMap(record => explainRecord(stream, record))).toEqual([])
  expect(page.rows.filter(({ id }) => id.startsWith('no-id:'))).toEqual([])
})

it('grows transactions to about the size that is asked for, still the same records', async () => {
  const [usual, large] = await Promise.all([
    sandboxWith({ stores: 1 }),
    sandboxWith({ stores: 1, recordBytes: 8000 }),
  ])
  const sizes = await Promise.all(
    [usual, large].map(async sandbox => {
      const { text } = await control(
        sandbox,
        'GET',
        '/records?store=downtown&stream=transactions&full=1',
      )
      return text.length / text.split('\n').length
    }),
  )
  expect(sizes[0]).toBeGreaterThan(2500)
  expect(sizes[0]).toBeLessThan(4000)
  expect(Math.abs(sizes[1]! - 8000)).toBeLessThan(400)
  const [first] = await truth(usual, 'transactions', '&full=1')
  expect(await askJson(large, `/transactions/${first!.id}`)).toMatchObject({
    id: first!.id,
    modified: first!.modified,
    transNo: first!['transNo'],
    payments: first!['payments'],
  })
})

it('ends by default with yesterday, in the zone of each store', async () => {
  const sandbox = await sandboxWith({ stores: 5, days: 3, transactionsPerDay: 30 }, {})
  for (const [store, { timeZone }] of sandbox.stores.entries()) {
    const rows = await truth(sandbox, 'transactions', '', store)
    expect(dayOf(rows.at(-1)!.modified, timeZone) < dayOf(Date.now(), timeZone)).toBe(true)
    expect((await ask(sandbox, '/transactions', { store })).text).toContain(
      `"total":${rows.length}`,
    )
  }
})
