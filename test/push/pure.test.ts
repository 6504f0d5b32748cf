import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wallTime, dayOf, instantsAt } from '../../calendar/clock.ts'
import { DAY_MS, HOUR_MS } from '../../calendar/days.ts'
import { withChanges } from '../../push/apply/body.ts'
import { readCell } from '../../push/input/cell.ts'
import type { Cell } from '../../push/input/cell.ts'
import type { Row } from '../../push/input/rows.ts'
import { liveList, otherKey } from '../../push/live.ts'
import { columnsOf } from '../../push/plan/columns.ts'
import { diffRow } from '../../push/plan/diff.ts'
import type { DiffContext } from '../../push/plan/diff.ts'
import { effectiveAt } from '../../push/plan/effective.ts'
import { matchRow } from '../../push/plan/match.ts'
import { createReferences } from '../../push/plan/reference.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { JsonRecord } from '../../text/exact-json.ts'

const NONE = liveList([])
const context: DiffContext = {
  timeZone: 'America/Los_Angeles',
  references: createReferences(
    { products: NONE, vendors: NONE, brands: NONE, categories: NONE },
    new Map(),
  ),
  assetOf: () => undefined,
}

/** A row as a file would ask for it; what a cell may not say is left out. */
function rowOf(externalId: string, asked: Readonly<Record<string, string>>): Row {
  const cells = new Map<string, Cell>()
  for (const column of columnsOf('products')) {
    const cell = readCell(asked[column.name] ?? '', column)
    if (cell !== undefined && !('refused' in cell)) cells.set(column.name, cell)
  }
  return { row: 2, externalId, cells, images: [] }
}

it('a record is another one by the first key that it has and that was sent, however it is written', () => {
  const sent = { externalId: 'V-1', sku: 'S-1', name: 'Green  Farms' }
  const other = (record: JsonRecord): unknown => otherKey(record, sent)
  expect(other({ externalId: ' v-1', sku: 'S-2', name: 'Other' })).toBeUndefined()
  expect(other({ externalId: 'V-2', sku: 'S-1' })).toBe('external id')
  expect(other({ externalId: null, sku: 's-1 ', name: 'Other' })).toBeUndefined()
  expect(other({ externalId: '', sku: 'S-2' })).toBe('SKU')
  expect(other({ name: ' GREEN FARMS' })).toBeUndefined()
  expect(other({ name: 'Blue Farms' })).toBe('name')
  expect(other({ id: 'T1' })).toBeUndefined()
  expect(otherKey({ sku: 'S-9' }, { externalId: 'V-1', name: 'Green Farms' })).toBeUndefined()
})

it.each(['true', '1', '"1"', '1700000000000'])('a record with deleted: %s is not live', deleted => {
  const one = (value: string): JsonRecord =>
    parseExact(`{"id":"T1","deleted":${value}}`) as JsonRecord
  expect(liveList([one(deleted), one('false'), one('0'), one('null')]).records).toHaveLength(3)
})

describe('matching', () => {
  const key = fc.constantFrom('', 'A', 'B', 'C')
  const records = fc.array(fc.record({ externalId: key, importId: key, sku: key }), {
    maxLength: 6,
  })
  const asked = fc.record({
    external: fc.constantFrom('A', 'B', 'C'),
    import_id: key,
    sku: fc.constantFrom('', 'A', 'b ', 'C'),
  })

  it('takes one record or none, and what could be two is a conflict, whatever the order of the list', () => {
    fc.assert(
      fc.property(records, asked, fc.nat(), (all, { external, ...cells }, turn) => {
        const list = all.map((record, at) => ({ id: `T${at}`, ...record }))
        const row = rowOf(external, cells)
        const match = matchRow(row, liveList(list), 'products')
        const sku = cells.sku.trim().toUpperCase()
        const claimed = list.filter(
          one =>
            one.externalId === external ||
            (cells.import_id !== '' && one.importId === cells.import_id) ||
            (sku !== '' && one.sku.toUpperCase() === sku),
        )
        if (match.kind === 'none') expect(claimed).toEqual([])
        if (match.kind === 'match') {
          expect(claimed).toEqual([match.record])
          // A record that another row of the file would claim by its own key is never taken.
          expect(['', external]).toContain(match.record['externalId'])
        }
        if (claimed.length > 1) expect(match.kind).toBe('conflict')
        const turned = [...list.slice(turn % 7), ...list.slice(0, turn % 7)]
        expect(matchRow(row, liveList(turned), 'products').kind).toBe(match.kind)
      }),
    )
  })
})

describe('a difference', () => {
  const price = fc
    .tuple(fc.nat(99_999), fc.nat(99))
    .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`)
  const words = fc.string({ unit: 'grapheme', maxLength: 8 }).map(text => text.trim())
  const row = fc.record({
    name: words,
    description: words,
    unit_price: fc.oneof(fc.constant(''), price),
    purchase_price: fc.oneof(fc.constant(''), price, fc.constant('__CLEAR__')),
    tags: fc.constantFrom('', 'a', 'a;b', '__CLEAR__'),
    active: fc.constantFrom('', 'true', 'false'),
    low_threshold: fc.constantFrom('', '0', '5', '5.00'),
  })
  const record = fc
    .record({
      name: words,
      description: fc.option(words),
      price: fc.option(price),
      tags: fc.array(words, { maxLength: 3 }),
      big: fc.bigInt({ min: 2n ** 60n }),
    })
    .map(
      ({ name, description, price: unit, tags, big }) =>
        parseExact(
          `{"id":"T1","externalId":"A","name":${JSON.stringify(name)},` +
            `"description":${JSON.stringify(description)},"unitPrice":${unit ?? 'null'},` +
            `"lowThreshold":5,"tags":${JSON.stringify(tags)},"big":${big},` +
            '"long":0.1000000000000000000000001}',
        ) as JsonRecord,
    )

  it('shows a number as people write it, however the API does', () => {
    const live = parseExact('{"id":"T1","externalId":"A","unitPrice":625E-2}') as JsonRecord
    const asked = (price: string) =>
      diffRow(rowOf('A', { unit_price: price }), live, 'products', context).changes
    expect(asked('7.00')).toMatchObject([{ field: 'unit_price', old: '6.25', new: '7.00' }])
    expect(asked('6.25')).toEqual([])
  })

  it('once applied asks for nothing, touches nothing else, and keeps every digit', () => {
    fc.assert(
      fc.property(record, row, (live, asked) => {
        const { changes } = diffRow(rowOf('A', asked), live, 'products', context)
        const after = withChanges(live, changes, { ids: new Map(), assets: new Map() })
        expect(diffRow(rowOf('A', asked), after, 'products', context).changes).toEqual([])
        const touched = new Set(changes.flatMap(({ edits }) => edits.map(({ path }) => path[0]!)))
        for (const [field, value] of Object.entries(live))
          if (!touched.has(field)) expect(JSON.stringify(after[field])).toBe(JSON.stringify(value))
        const empty = Object.fromEntries(Object.keys(asked).map(name => [name, '']))
        expect(diffRow(rowOf('A', empty), live, 'products', context).changes).toEqual([])
      }),
    )
  })
})

describe('a time at which a row takes effect', () => {
  const zone = fc.constantFrom('America/Los_Angeles', 'America/St_Johns', 'Europe/London', 'UTC')
  const minutes = fc.integer({ min: 0, max: 6 * 366 * 24 * 60 })
  const FROM = Date.parse('2024-01-01T00:00:00Z')

  it('is the local time that was written, the first of two, or as much later as clocks jump over it', () => {
    fc.assert(
      fc.property(zone, minutes, fc.nat(59), (timeZone, minute, second) => {
        const wall = new Date(FROM + minute * 60_000 + second * 1000).toISOString().slice(0, 19)
        const { atMs, at, flags } = effectiveAt(wall, timeZone, 0)
        const [day, clock] = [wall.slice(0, 10), wall.slice(11, 16)]
        const times = instantsAt(day, clock, timeZone)
        expect(Date.parse(at)).toBe(atMs)
        expect(flags.includes('dst_gap')).toBe(times.length === 0)
        expect(flags.includes('dst_fold')).toBe(times.length > 1)
        const shown = `${dayOf(atMs, timeZone)}T${wallTime(atMs, timeZone)}`
        if (times.length === 0) {
          const jumpMs = Date.parse(`${shown}:00Z`) - Date.parse(`${wall.slice(0, 16)}:00Z`)
          expect([HOUR_MS / 2, HOUR_MS]).toContain(jumpMs)
        } else {
          expect(shown).toBe(wall.slice(0, 16))
          expect(atMs).toBe(Math.min(...times) + second * 1000)
        }
      }),
      { examples: [['America/Los_Angeles', minuteOf('2026-03-08T02:30'), 0]] },
    )
  })

  it('is late from its own moment on', () => {
    const { atMs } = effectiveAt('2026-03-10T06:00', 'America/Los_Angeles', 0)
    expect(effectiveAt('2026-03-10T06:00', 'America/Los_Angeles', atMs).flags).toEqual([])
    expect(effectiveAt('2026-03-10T06:00', 'America/Los_Angeles', atMs + DAY_MS).flags).toEqual([
      'late',
    ])
  })

  function minuteOf(wall: string): number {
    return (Date.parse(`${wall}:00Z`) - FROM) / 60_000
  }
})
