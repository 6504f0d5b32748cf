import { parseExact } from '../../text/exact-json.ts'
import { createRecordExaminer } from '../answer/judge-records.ts'
import { defineList, text, timestamp } from '../stream.ts'
import type { ColumnKind, Columns, Stream } from '../stream.ts'

/**
 * A record that is kept, without the values that do not fit columns as they are declared today:
 * these stay empty, and the others count. As compact JSON with the digits that it had.
 */
export function fittingRecord({ columns, children }: Stream, raw: string): string {
  const record = parseExact(raw) as Fields
  removeUnfit(record, columns)
  for (const { path, columns: ofLines } of Object.values(children)) {
    const [holder, name] = placeOf(record, path)
    const lines = holder?.[name]
    if (!Array.isArray(lines)) delete holder?.[name]
    else holder![name] = lines.map(line => removeUnfit(fieldsOf(line), ofLines))
  }
  return JSON.stringify(record)
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of a line that came as a text, what that holds. */
function fieldsOf(line: unknown): Fields {
  if (isFields(line)) return line
  if (typeof line !== 'string') return {}
  try {
    const held = parseExact(line)
    return isFields(held) ? held : {}
  } catch {
    return {}
  }
}

function removeUnfit(fields: Fields, columns: Columns): Fields {
  for (const { kind, path } of Object.values(columns)) {
    const [holder, name] = placeOf(fields, path)
    const value = holder?.[name]
    if (value !== undefined && !fits(kind, JSON.stringify(value))) delete holder![name]
  }
  return fields
}

/** The object in which the last name of a path stands. */
function placeOf(fields: Fields, path: string): [holder: Fields | undefined, name: string] {
  const names = path.split('.')
  const name = names.pop()!
  let holder: unknown = fields
  for (const within of names) holder = isFields(holder) ? holder[within] : undefined
  return [isFields(holder) ? holder : undefined, name]
}

/** The judge of all records is asked about each value. */
function fits(kind: ColumnKind, value: string): boolean {
  const examine = examiners.get(kind) ?? examinerOf(kind)
  examiners.set(kind, examine)
  return examine([`{"id":"a","value":${value}}`]).unfit.length === 0
}

const examiners = new Map<ColumnKind, ReturnType<typeof createRecordExaminer>>()

const examinerOf = (kind: ColumnKind): ReturnType<typeof createRecordExaminer> =>
  createRecordExaminer(
    defineList({
      name: 'values',
      singular: 'value',
      title: 'one value each',
      path: '/values',
      columns: { ...text('id'), ...timestamp('modified'), value: { kind, path: 'value' } },
    }),
  )
