import Database from 'better-sqlite3'
import type { Interval } from '../../calendar/interval.ts'
import { PartnerError } from '../../errors.ts'
import { recordKey } from '../record.ts'
import { IS_SECRET_SQL, mayHoldSecrets } from '../secret-fields.ts'
import { keySql } from '../stream-sql.ts'
import type { Stream } from '../stream.ts'
import { NOT_API_REMEDY } from './client.ts'
import { ENVELOPE_NAMES, LIST_FIELDS } from './envelopes.ts'

/** What the proof needs to know of a row. */
export interface SeenRow {
  /** Its id, or a hash where it has none. */
  id: string
  modified: number | null
  created: number | null
  /**
   * Lies in the asked interval by one of the stream's event times; a row without any time does too.
   */
  inside: boolean
  /** Its event times, epoch milliseconds: by any of them a server may have picked it. */
  times?: readonly number[]
}

/**
 * One answer, taken apart as far as paging and proof need it; the records stay bytes (SQLite's
 * JSONB).
 */
export interface Page {
  rows: SeenRow[]
  total: number | null
  /** Rows that lie inside, but not by their `modified`: the server let them in by another time. */
  byAnotherTime: number
  /**
   * Rows that lie inside by their `modified`, and by none of their other times: that is what the
   * server filters by.
   */
  byModifiedAlone: number
  envelope: string
  /** The whole answer as JSONB, and the place of its list. */
  body: Buffer
  listPath: string
}

/** Takes one answer apart; `inside` is what an honest answer may hold. */
export type PageReader = (body: Buffer, inside: Interval) => Page

const ENVELOPES = LIST_FIELDS.map(field => ({
  name: ENVELOPE_NAMES[field],
  listPath: `$.${field}`,
}))

/**
 * SQLite takes the page apart: parsing to JSONB and reading a few fields costs a third of
 * `JSON.parse`, keeps every digit, and the result goes to the writer as it is.
 */
export function createPageReader(stream: Stream): PageReader {
  const memory = new Database(':memory:')
  const parse = memory.prepare<[Buffer], { body: Buffer; strict: number }>(
    `SELECT ${asList(stream, 'jsonb(text)')} AS body, json_valid(text, 1) AS strict FROM (SELECT CAST(? AS TEXT) AS text)`,
  )
  const shape = memory.prepare<{ body: Buffer }, Record<string, string | number | null>>(
    `SELECT json_type(@body) AS root, ${ENVELOPES.map(({ listPath }, index) => `json_type(@body, '${listPath}') AS list${index}`).join(', ')}, json_type(@body, '$.total') AS totalType, @body ->> '$.total' AS total,
     coalesce(@body ->> '$.errorType', @body ->> '$.error') IS NOT NULL AND json_type(@body, '$.message') IS NOT NULL AS isError,
     coalesce(json_type(@body, '$[0].errorType'), json_type(@body, '$[0].field')) IS NOT NULL AND json_type(@body, '$[0].message') IS NOT NULL AND json_type(@body, '$[0].id') IS NULL AS isErrorList`,
  )
  const dropSecrets = createSecretRemover(memory)
  const otherTimes = stream.eventTimes.flatMap((path, index) =>
    path === stream.cursor ? [] : [index],
  )
  const key = keySql(stream, 'value')
  const times = stream.eventTimes.map(path => `value ->> '$.${path}'`)
  const rowsOf = memory
    .prepare<{ body: Buffer; listPath: string }, unknown[]>(
      `SELECT type, CAST(${key} AS TEXT), CASE WHEN coalesce(${key}, '') = '' THEN json(value) END, value ->> '$.${stream.columns[stream.cursor]!.path}', value ->> '$.created', ${times.join(', ')} FROM jsonb_each(@body, @listPath)`,
    )
    .raw()

  return (bytes, inside) => {
    const { body: whole, strict } = parseOrExplain(parse, bytes)
    if (strict === 0)
      throw new PartnerError(
        'PARTNER_TRUNCATED',
        `the answer of ${stream.path} is not valid JSON (${bytes.length} bytes)`,
      )
    const body = dropSecrets(bytes, whole)
    const facts = shape.get({ body })!
    if (facts['isErrorList'] === 1) throw errorBody(stream)
    const { envelope, hasList } = envelopeOf(stream, facts)
    const total = facts['totalType'] === 'integer' ? Number(facts['total']) : null
    const list = hasList ? recordsOf(rowsOf, stream, { body, listPath: envelope.listPath }) : []
    const rows = list.map(row => seenRow(row, inside))
    const byModifiedAlone = list.filter((row, index) =>
      isOnlyModified(row, rows[index]!, otherTimes, inside),
    ).length
    const byAnotherTime = rows.filter(
      row => row.inside && row.modified !== null && !isWithin(row.modified, inside),
    ).length
    return {
      rows,
      byAnotherTime,
      byModifiedAlone,
      total,
      envelope: total === null ? `${envelope.name} without total` : envelope.name,
      body,
      listPath: envelope.listPath,
    }
  }
}

/**
 * Where the list stands. One that is null is an empty list where the total says 0 (`hasList` is
 * false then); anything else without a list is an error (INV-4).
 */
function envelopeOf(
  stream: Stream,
  facts: Record<string, string | number | null>,
): { envelope: { name: string; listPath: string }; hasList: boolean } {
  if (facts['root'] === 'array')
    return { envelope: { name: 'a bare list', listPath: '$' }, hasList: true }
  const ofType = (type: string) => ENVELOPES.find((_, index) => facts[`list${index}`] === type)
  const found = ofType('array')
  if (found !== undefined) return { envelope: found, hasList: true }
  const empty = facts['total'] === 0 ? ofType('null') : undefined
  if (empty === undefined) throw unknownEnvelope(stream, facts)
  return { envelope: empty, hasList: false }
}

/** Takes secret fields out of an answer; what is left keeps every digit. */
function createSecretRemover(memory: Database.Database): (bytes: Buffer, body: Buffer) => Buffer {
  const find = memory
    .prepare<[Buffer], string>(`SELECT fullkey FROM jsonb_tree(?) WHERE ${IS_SECRET_SQL}`)
    .pluck()
  const remove = memory.prepare<[Buffer, string], Buffer>('SELECT jsonb_remove(?, ?)').pluck()
  return (bytes, body) => {
    if (!mayHoldSecrets(bytes.toString('latin1'))) return body
    let left = body
    // A name that stands twice in an object is found twice, and each removal takes one away.
    for (const path of find.all(body)) left = remove.get(left, path)!
    return left
  }
}

/**
 * A single record becomes a list of one, with what stands beside it inside; some servers leave the
 * field away and answer the record as it is.
 */
function asList({ answers }: Stream, body: string): string {
  if (typeof answers !== 'object') return body
  const path = `'$.${answers.record}'`
  return `CASE WHEN json_type(${body}, ${path}) = 'object' THEN jsonb_array(jsonb_patch(${body} -> ${path}, jsonb_remove(${body}, ${path}))) WHEN json_type(${body}, '$.id') IS NOT NULL THEN jsonb_array(${body}) ELSE ${body} END`
}

/**
 * INV-4: a list of texts, numbers or nulls is no list of records. SQLite fails on texts, where it
 * expects JSON.
 */
function recordsOf(
  rowsOf: Database.Statement<{ body: Buffer; listPath: string }, unknown[]>,
  stream: Stream,
  page: { body: Buffer; listPath: string },
): unknown[][] {
  try {
    const rows = rowsOf.all(page)
    if (rows.every(([type]) => type === 'object')) return rows
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_ERROR') throw cause
  }
  throw new PartnerError(
    'PARTNER_ENVELOPE',
    `${stream.path} answered a list with items that are not records`,
    { remedy: 'The window stays unproven; nothing was taken for an empty list.' },
  )
}

function parseOrExplain(
  parse: Database.Statement<[Buffer], { body: Buffer; strict: number }>,
  bytes: Buffer,
): { body: Buffer; strict: number } {
  try {
    return parse.get(bytes)!
  } catch {
    if (/^\s*</.test(bytes.subarray(0, 64).toString('latin1'))) {
      throw new PartnerError(
        'PARTNER_NOT_API',
        'the answer is an HTML page under status 200, not JSON',
        { remedy: NOT_API_REMEDY },
      )
    }
    if (isWholeJson(bytes))
      throw new PartnerError(
        'PARTNER_ENVELOPE',
        `the answer holds a record that is nested deeper than 1,000 levels, which no table takes (${bytes.length} bytes)`,
        { remedy: 'The window stays unproven until the API has fixed that record.' },
      )
    throw new PartnerError(
      'PARTNER_TRUNCATED',
      `the answer is cut off or not JSON (${bytes.length} bytes)`,
    )
  }
}

function isWholeJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

/** One error, or a list of them, where records should be. */
const errorBody = (stream: Stream): PartnerError =>
  new PartnerError('PARTNER_ERROR_BODY', `${stream.path} answered an error body under status 200`)

/** INV-4: names what came instead, never its content. */
function unknownEnvelope(
  stream: Stream,
  facts: Record<string, string | number | null>,
): PartnerError {
  if (facts['isError'] === 1) return errorBody(stream)
  const what = `JSON of type ${String(facts['root'])} without a known list`
  return new PartnerError('PARTNER_ENVELOPE', `${stream.path} answered ${what}`, {
    remedy:
      'Known are a bare list and objects with values, searchResult or results. The window stays unproven; nothing was taken for an empty list.',
  })
}

const isWithin = (time: number, { startMs, endMs }: { startMs: number; endMs: number }): boolean =>
  time >= startMs && time < endMs

/** Inside by its `modified`, while every other time that it carries lies elsewhere. */
function isOnlyModified(
  row: unknown[],
  { modified }: SeenRow,
  otherTimes: readonly number[],
  inside: { startMs: number; endMs: number },
): boolean {
  if (modified === null || !isWithin(modified, inside)) return false
  const others = otherTimes
    .map(index => row[FIRST_TIME + index])
    .filter(time => typeof time === 'number')
  return others.length > 0 && !others.some(time => isWithin(time, inside))
}

/** Place of the first event time among the columns of `rowsOf`. */
const FIRST_TIME = 5

function seenRow(row: unknown[], inside: { startMs: number; endMs: number }): SeenRow {
  const [, id, rawWithoutId, modified, created, ...times] = row
  const known = times.filter((time): time is number => typeof time === 'number')
  return {
    id: recordKey(id as string | null, rawWithoutId as string),
    modified: typeof modified === 'number' ? modified : null,
    created: typeof created === 'number' ? created : null,
    inside: known.length === 0 || known.some(time => isWithin(time, inside)),
    times: known,
  }
}
