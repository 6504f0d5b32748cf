import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { wallClock, wallInstants } from '../../../calendar/clock.ts'
import type { StoredCell } from '../../../connectors/destination/snapshot.ts'
import { cellText } from '../../../exports/formats/cells.ts'
import type { ExportColumn, Format } from '../../../exports/formats/format.ts'
import { FORMATS } from '../../../exports/formats/formats.ts'
import { jsonl } from '../../../exports/formats/jsonl.ts'
import { freshFolder } from '../order.ts'

const column = (name: string, kind: ExportColumn['kind'], type: string): ExportColumn => ({
  name,
  kind,
  type,
  person: false,
  masked: false,
  totals: undefined,
})

const COLUMNS = [
  column('id', 'text', 'VARCHAR'),
  column('n', 'integer', 'BIGINT'),
  column('at', 'timestamp', 'TIMESTAMP WITH TIME ZONE'),
  column('open', 'boolean', 'BOOLEAN'),
  column('day', 'date', 'DATE'),
  column('total', 'decimal', 'DECIMAL(18,4)'),
]

/** What every format holds: Excel has no other control characters, and CSV knows no empty text. */
const text = fc
  .string({
    unit: fc.constantFrom(...'a0,"|\\;\n\t =+-@\'ñ🌿＝\u2028'),
    minLength: 1,
    maxLength: 8,
  })
  .map(cell => `x${cell}x`)
const row = fc.tuple(
  fc.oneof(text, fc.constantFrom('=1+1', "'=x", '-3', '@a')),
  fc.oneof(fc.integer(), fc.constant('9007199254740993'), fc.constant(null)),
  fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2035, 0) }),
  fc.constantFrom(0, 1, null),
  fc.constantFrom('2026-03-08', null),
  fc.constantFrom('12.3400', '-0.5000', null),
)

async function* inOneBatch<Row>(rows: Row): AsyncGenerator<Row> {
  yield rows
}

async function writeAndRead(
  format: Format,
  rows: readonly (readonly StoredCell[])[],
): Promise<unknown[]> {
  const folder = freshFolder()
  const path = join(folder, `rows.${format.name}`)
  const writer = await format.open(folder)
  try {
    const about = { path, name: 'rows', bom: true, timeZone: 'UTC', step: () => {} }
    const sink = writer.begin({ ...about, columns: COLUMNS, rows: () => inOneBatch(rows) })
    for (const cells of rows) sink.add(cells)
    await sink.finish()
    await writer.end()
  } finally {
    await writer.close()
  }
  const read: unknown[] = []
  for await (const one of format.rows(path, COLUMNS, 'UTC')) read.push(one)
  return read
}

test.each(FORMATS)('$name gives back every cell that was written', async (format: Format) => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async rows => {
      const expected = rows.map(cells =>
        Object.fromEntries(
          COLUMNS.map((one, at) => {
            const shown = format.textIn?.(one, 'UTC') ?? (cell => cellText(one, cell))
            return [one.name, shown(cells[at]!)]
          }),
        ),
      )
      expect(await writeAndRead(format, rows)).toEqual(expected)
    }),
    { numRuns: 12 },
  )
})

it('an integer beyond 2^53 is read back from JSONL with all of its digits', async () => {
  const path = join(freshFolder(), 'rows.jsonl')
  writeFileSync(path, '{"n":9007199254740993,"id":"a"}\n{"n":2,"id":null}\n')
  const rows = []
  for await (const one of jsonl.rows(path, COLUMNS.slice(0, 2))) rows.push(one)
  expect(rows).toEqual([
    { n: '9007199254740993', id: 'a' },
    { n: '2', id: null },
  ])
})

it('what the clocks of a zone show leads back to the instant, or to the first that they show it at', () => {
  const zones = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Africa/Cairo')
  const instants = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2035, 0) })
  fc.assert(
    fc.property(zones, instants, (zone, ms) => {
      const toWall = wallClock(zone)
      const back = wallInstants(zone)(toWall(ms))
      expect(toWall(back)).toBe(toWall(ms))
      expect(back).toBeLessThanOrEqual(ms)
      expect(ms - back).toBeLessThanOrEqual(3_600_000)
    }),
  )
})
