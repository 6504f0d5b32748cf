import { describe, expect, it } from 'vitest'
import { recordKey } from '../../connectors/cells.ts'
import { findStream, streams } from '../../connectors/partner/streams/index.ts'
import { columnName, defineStream } from '../../connectors/stream.ts'
import type { Column, Columns, Stream } from '../../connectors/stream.ts'
import { openDatabase } from './sqlite/window-database.ts'

type Json = Record<string, unknown>

/**
 * A value of a column's kind that survives only if nothing rounds it, and what the table must say.
 */
const SAMPLES: Record<Column['kind'], { json: string; stored: unknown }> = {
  text: { json: '"Grüße, \\"42\\""', stored: 'Grüße, "42"' },
  integer: { json: '9007199254740993', stored: 9007199254740993n },
  decimal: { json: '1234567890123456.10', stored: '1234567890123456.10' },
  timestamp: { json: '1772409600123', stored: 1772409600123n },
  boolean: { json: 'true', stored: 1n },
  json: { json: '{"b":[1.10,null],"a":0}', stored: '{"b":[1.10,null],"a":0}' },
}

/** JSON text from texts by path, so that the digits are the test's own. */
function textOf(fields: readonly (readonly [string, string])[]): string {
  const groups = new Map<string, [string, string][]>()
  for (const [path, value] of fields) {
    const [head, ...rest] = path.split('.')
    groups.set(head!, [...(groups.get(head!) ?? []), [rest.join('.'), value]])
  }
  const members = [...groups].map(([key, inner]) => {
    const [path, value] = inner[0]!
    return `"${key}":${path === '' ? value : textOf(inner)}`
  })
  return `{${members.join(',')}}`
}

const samplesOf = (columns: Columns): [string, string][] =>
  Object.values(columns).map(({ path, kind }) => [path, SAMPLES[kind].json])

/**
 * A record with a value in every column, and two lines in every child; fields given replace the
 * sample.
 */
function recordOf(
  stream: Stream,
  id: string,
  changes: Readonly<Record<string, string>> = {},
  lines = 2,
): string {
  const fields = new Map([
    ...samplesOf(stream.columns),
    ...Object.values(stream.children).map(({ path, columns }): [string, string] => [
      path,
      `[${Array.from({ length: lines }, () => textOf(samplesOf(columns))).join(',')}]`,
    ]),
  ])
  fields.set('id', JSON.stringify(id))
  for (const [path, value] of Object.entries(changes)) fields.set(path, value)
  return textOf([...fields])
}

const storedOf = (columns: Columns): Json =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { kind }]) => [name, SAMPLES[kind].stored]),
  )

describe.each(streams.map(stream => [stream.name, stream] as const))(
  'stream %s',
  (name, stream) => {
    const changed = Object.entries(stream.columns).find(
      ([column, { kind }]) => kind === 'text' && column !== 'id' && column !== 'company_id',
    )!
    const modified = 1772409600123

    it('is a valid declaration', () => {
      expect(findStream(name)).toBe(stream)
      expect(defineStream(stream)).toBe(stream)
      expect(stream.path).toMatch(/^\/api\/v1\/partner\/[a-zA-Z/{}-]+$/)
      expect(stream.pageCap).toBeGreaterThan(1)
      expect(stream.lookbackDays).toBeGreaterThanOrEqual(0)
      const timestamps = Object.values(stream.columns)
        .filter(({ kind }) => kind === 'timestamp')
        .map(({ path }) => path)
      expect(stream.eventTimes.filter(path => !timestamps.includes(path))).toEqual([])
      expect(stream.eventTimes).toContain(stream.cursor)
      for (const columns of [
        stream.columns,
        ...Object.values(stream.children).map(child => child.columns),
      ]) {
        for (const [column, { path }] of Object.entries(columns))
          expect(column).toBe(columnName(path))
      }
    })

    it('reads back every column and every line of a record, digit by digit', async () => {
      const { load, connection } = await openDatabase([stream])
      const raw = recordOf(stream, 'a')
      expect(load(stream, [[raw]]).counts).toEqual({
        fetched: 1,
        inserted: 1,
        updated: 0,
        unchanged: 0,
        duplicate: 0,
        deadLettered: 0,
      })
      const rows = connection.prepare(`SELECT * FROM ${name}`).safeIntegers().all()
      expect(rows).toEqual([
        expect.objectContaining({
          store_id: 'downtown',
          ...storedOf(stream.columns),
          id: 'a',
          raw,
        }),
      ])
      for (const [child, { columns }] of Object.entries(stream.children)) {
        const lines = connection
          .prepare(`SELECT * FROM ${child} ORDER BY line_no`)
          .safeIntegers()
          .all()
        expect(lines).toEqual(
          [1n, 2n].map(line => ({
            store_id: 'downtown',
            [`${stream.singular}_id`]: 'a',
            line_no: line,
            ...storedOf(columns),
          })),
        )
      }
    })

    it('takes a record that has nothing but its key', async () => {
      const { load, all } = await openDatabase([stream])
      load(stream, [['{"id":"a"}']])
      const row = all(`SELECT * FROM ${name}`)[0]!
      expect(Object.entries(row).filter(([, value]) => value !== null)).toEqual([
        ['store_id', 'downtown'],
        ['id', 'a'],
        ['raw', '{"id":"a"}'],
      ])
      for (const child of Object.keys(stream.children))
        expect(all(`SELECT * FROM ${child}`)).toEqual([])
    })

    it('changes nothing when it is loaded a second time', async () => {
      const { load, all } = await openDatabase([stream])
      const records = ['a', 'b', 'c'].map(id => recordOf(stream, id))
      load(stream, [records])
      const before = [name, ...Object.keys(stream.children)].map(table =>
        all(`SELECT * FROM ${table}`),
      )
      expect(load(stream, [records]).counts).toEqual({
        fetched: 3,
        inserted: 0,
        updated: 0,
        unchanged: 3,
        duplicate: 0,
        deadLettered: 0,
      })
      expect(
        [name, ...Object.keys(stream.children)].map(table => all(`SELECT * FROM ${table}`)),
      ).toEqual(before)
    })

    it('lets a later modified win, and an earlier one not, in whatever order they come', async () => {
      const [column, { path }] = changed
      const { load, all } = await openDatabase([stream])
      const version = (at: number, text: string): string =>
        recordOf(stream, 'a', { modified: String(at), [path]: JSON.stringify(text) })
      const now = (): unknown => all(`SELECT ${column} AS text FROM ${name}`)[0]!['text']
      load(stream, [[version(modified, 'first')]])
      expect(load(stream, [[version(modified + 1, 'later')]]).counts).toMatchObject({ updated: 1 })
      expect(now()).toBe('later')
      expect(load(stream, [[version(modified - 1, 'earlier')]]).counts).toMatchObject({
        updated: 0,
        unchanged: 1,
      })
      expect(now()).toBe('later')
      expect(
        load(stream, [[version(modified + 3, 'newest')], [version(modified + 2, 'between')]])
          .counts,
      ).toMatchObject({ fetched: 2, updated: 1, duplicate: 1 })
      expect(now()).toBe('newest')
      expect(load(stream, [[version(modified + 3, 'same time, read later')]]).counts).toMatchObject(
        { updated: 1 },
      )
      expect(now()).toBe('same time, read later')
    })

    it('keeps a bad record as a dead letter and merges the rest', async () => {
      const { load, all } = await openDatabase([stream])
      const bad = recordOf(stream, 'bad', { modified: '"a secret of somebody"' })
      const { counts } = load(stream, [[recordOf(stream, 'a'), bad, recordOf(stream, 'b')]])
      expect(counts).toEqual({
        fetched: 3,
        inserted: 2,
        updated: 0,
        unchanged: 0,
        duplicate: 0,
        deadLettered: 1,
      })
      expect(all(`SELECT id FROM ${name} ORDER BY id`)).toEqual([{ id: 'a' }, { id: 'b' }])
      const [letter] = all('SELECT * FROM dead_letters')
      expect(letter).toMatchObject({
        store_id: 'downtown',
        stream: name,
        record_key: 'bad',
        raw: bad,
        reason: 'modified: expected timestamp, received string',
      })

      expect(load(stream, [[recordOf(stream, 'bad')]]).counts).toMatchObject({
        inserted: 1,
        deadLettered: 0,
      })
      expect(all('SELECT * FROM dead_letters')).toEqual([])
    })

    it.runIf(Object.keys(stream.children).length > 0)(
      'replaces the lines of a record that changed, and of no other',
      async () => {
        const { load, all } = await openDatabase([stream])
        load(stream, [[recordOf(stream, 'a', {}, 3), recordOf(stream, 'b', {}, 2)]])
        load(stream, [[recordOf(stream, 'a', { modified: String(modified + 1) }, 1)]])
        for (const child of Object.keys(stream.children)) {
          expect(
            all(
              `SELECT ${stream.singular}_id AS id, count(*) AS lines FROM ${child} GROUP BY 1 ORDER BY 1`,
            ),
          ).toEqual([
            { id: 'a', lines: 1 },
            { id: 'b', lines: 2 },
          ])
        }
        load(stream, [
          [
            recordOf(stream, 'a', {
              modified: String(modified + 2),
              ...Object.fromEntries(
                Object.values(stream.children).map(({ path }) => [path, 'null']),
              ),
            }),
          ],
        ])
        for (const child of Object.keys(stream.children))
          expect(all(`SELECT DISTINCT ${stream.singular}_id AS id FROM ${child}`)).toEqual([
            { id: 'b' },
          ])
      },
    )

    it.runIf(Object.keys(stream.children).length > 0)(
      'buries a record with a bad line, or with a text for a line',
      async () => {
        for (const child of Object.values(stream.children)) {
          const decimal = Object.values(child.columns).find(({ kind }) => kind === 'decimal')!
          for (const line of [`{"${decimal.path}":{"nested":1}}`, '"a text"']) {
            const { load, all } = await openDatabase([stream])
            const { counts } = load(stream, [
              [recordOf(stream, 'a'), recordOf(stream, 'bad', { [child.path]: `[${line}]` })],
            ])
            expect(counts, line).toMatchObject({ inserted: 1, deadLettered: 1 })
            expect(all('SELECT record_key, reason FROM dead_letters'), line).toEqual([
              { record_key: 'bad', reason: expect.stringContaining(`${child.path}[0]`) as string },
            ])
          }
        }
      },
    )
  },
)

describe('a declaration', () => {
  const base = streams[0]!

  it('is refused where it would break what derives from it', () => {
    const refused: [Partial<Stream>, string][] = [
      [{ name: 'Sales' }, 'snake_case'],
      [{ columns: { modified: { kind: 'timestamp', path: 'modified' } } }, 'id must be text'],
      [
        {
          columns: {
            id: { kind: 'integer', path: 'id' },
            modified: { kind: 'timestamp', path: 'modified' },
          },
        },
        'id must be text',
      ],
      [{ columns: { id: { kind: 'text', path: 'id' } } }, 'must be a timestamp'],
      [{ columns: { ...base.columns, raw: { kind: 'text', path: 'raw' } } }, 'reserved'],
      [
        {
          children: {
            lines: { path: 'lines', columns: { line_no: { kind: 'integer', path: 'lineNo' } } },
          },
        },
        'reserved',
      ],
    ]
    for (const [changes, words] of refused)
      expect(() => defineStream({ ...base, ...changes }), words).toThrow(words)
  })

  it.each([
    ['maxThc', 'max_thc'],
    ['parentPOId', 'parent_po_id'],
    ['cart.total', 'cart_total'],
    ['cart.subTotalDiscount', 'cart_sub_total_discount'],
    ['localDobUTC', 'local_dob_utc'],
    ['id', 'id'],
  ])('names the column of %s %s', (path, column) => {
    expect(columnName(path)).toBe(column)
  })
})

describe('recordKey', () => {
  it('is the key, or a hash that tells contents apart', () => {
    expect(recordKey('a', () => '{}')).toBe('a')
    expect(recordKey(undefined, () => '{"x":1}')).toBe(recordKey(undefined, () => '{"x":1}'))
    expect(recordKey(undefined, () => '{"x":1}')).not.toBe(recordKey(undefined, () => '{"x":2}'))
  })
})
