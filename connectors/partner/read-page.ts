import Database from 'better-sqlite3'
import type { Interval } from '../../calendar/days.ts'
import { PartnerError } from '../../errors.ts'
import { createRecordJudge, createSampler } from '../answer/judge-records.ts'
import { createAnswerWalker } from '../answer/walk-answer.ts'
import type { Walked } from '../answer/walk-answer.ts'
import { freeBytes } from '../cells.ts'
import type { AnswerText, UnfitRecord } from '../cells.ts'
import type { Stream } from '../stream.ts'
import { wellFormed } from './answer-body.ts'
import {
  ENVELOPE_NAMES,
  ERROR_FIELDS,
  LIST_FIELDS,
  isErrorBody,
  isErrorItem,
  leavesListAway,
  readTotal,
  refusesEmptyList,
} from './envelopes.ts'
import type { ErrorFields } from './envelopes.ts'
import { createOwnerReader, createRowReader } from './read-rows.ts'
import type { RowOwners, SeenRows } from './read-rows.ts'
import { NOT_API_REMEDY } from './refusal.ts'

/** One answer, taken apart as far as paging and proof need it; the records stay bytes. */
export interface Page extends SeenRows {
  total: number | null
  /** Undefined: its list is left away, and there is nothing in it. */
  envelope: string | undefined
  /** It names the page behind it by a cursor. */
  hasCursor: boolean
  /** Where its list stands: `$` or `$.values`. */
  listPath: string
  text: AnswerText
  /** Records that do not fit their declaration. */
  unfit: readonly UnfitRecord[]
  owners: RowOwners
  /** Some of its bytes are no UTF-8; U+FFFD stands in their place. */
  isUnreadable: boolean
  /** Which fields and kinds its records have; undefined where the answer is no list by itself. */
  walked: Walked | undefined
}

/**
 * Takes one answer apart; `inside` is what an honest answer may hold. Its bytes may become those of
 * the page.
 */
export type PageReader = (body: Buffer, inside: Interval) => Page

const ENVELOPES = LIST_FIELDS.map(field => ({
  name: ENVELOPE_NAMES[field],
  listPath: `$.${field}`,
}))

/**
 * The one of a stream, for all stores of this process: of an answer it remembers names of fields
 * alone, and it has a parser, which hundreds of stores would have for each of their lists.
 */
export function pageReaderOf(stream: Stream): PageReader {
  const reader = readers.get(stream) ?? createPageReader(stream)
  readers.set(stream, reader)
  return reader
}
const readers = new WeakMap<Stream, PageReader>()

/**
 * One walk over the bytes answers nearly everything. SQLite judges what kind of answer it is, by
 * its first record and what stands around the list, and takes the whole apart only where a record
 * is doubtful, or where somebody asks for it.
 */
export function createPageReader(stream: Stream): PageReader {
  const memory = new Database(':memory:')
  const parser = memory
    .prepare<[Buffer], Buffer>(
      `SELECT ${asList(stream, 'jsonb(text)')} FROM (SELECT CAST(? AS TEXT) AS text)`,
    )
    .pluck()
  const compact = memory.prepare<[Buffer], Buffer>('SELECT CAST(json(?) AS BLOB)').pluck()
  const findList = createListFinder(memory, stream)
  const walk = createAnswerWalker(stream)
  const withOneRecord = createSampler(stream)
  const readRows = createRowReader(stream)
  const readOwners = createOwnerReader(stream)
  const judge = createRecordJudge(stream)
  const isOneRecord = typeof stream.answers === 'object'
  // Where the list stood in the last answer.
  let listPath = ENVELOPES[0]!.listPath

  /** Where every record fits its declaration, and there are some. */
  const fittingText = (
    json: Buffer,
    { cells, doubtful, records }: Walked,
  ): AnswerText | undefined =>
    cells === undefined || isOneRecord || doubtful.length > 0 || records === 0
      ? undefined
      : { json, cells }

  const takeApart = (bytes: Buffer): TakenApart => {
    const walked = walk(bytes, listPath)
    const clean = walked?.secrets.cutOut(bytes) ?? bytes
    const parsed = once(() => parseOrExplain(parser, clean))
    if (walked === undefined) throw notStrict(stream, bytes, parsed)
    if (walked.hasFieldTwice && !isOneRecord) throw fieldTwice(stream)
    const sample = fittingText(clean, walked)
    const list = findList(
      sample === undefined ? parsed() : parseOrExplain(parser, withOneRecord(sample)),
    )
    if (list.listPath === listPath) return { clean, parsed, walked, list }
    listPath = list.listPath
    return { clean, parsed, walked: walk(bytes, listPath)!, list }
  }

  /** The answer without secret fields and without space between its tokens, and its cells. */
  const asText = ({ clean, parsed, walked }: TakenApart): [AnswerText, Walked] => {
    if (walked.cells !== undefined && !isOneRecord)
      return [{ json: clean, cells: walked.cells }, walked]
    const json = compact.get(parsed())!
    const again = walk(json, listPath)!
    return [{ json, cells: again.cells! }, again]
  }

  return (answer, inside) => {
    const bytes = wellFormed(answer)
    const taken = takeApart(bytes)
    const { clean, walked, list } = taken
    const [text, walkedText] = asText(taken)
    if (text.json !== clean && clean !== bytes) freeBytes(clean)
    return {
      ...readRows(text, inside),
      owners: readOwners(text),
      total: list.total,
      envelope: list.envelope,
      hasCursor: list.hasCursor,
      listPath,
      text,
      unfit: judge(text, walkedText),
      isUnreadable: bytes !== answer,
      walked: isOneRecord ? undefined : walked,
    }
  }
}

interface TakenApart {
  /** The answer without secret fields. */
  clean: Buffer
  /** The same as JSONB, made when it is asked for first. */
  parsed: () => Buffer
  walked: Walked
  list: FoundList
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** What a page takes until it is stored. */
export const pageBytes = ({ text }: Pick<Page, 'text'>): number =>
  text.json.byteLength + text.cells.byteLength

type Facts = Record<string, string | number | null>

const typeOfList = ({ listPath }: { listPath: string }, index: number): string =>
  `json_type(@body, '${listPath}') AS list${index}`

/** What an answer is, by a few of its fields. */
const FACTS = `
  SELECT
    json_type(@body) AS root,
    ${ENVELOPES.map(typeOfList).join(', ')},
    CASE
      WHEN json_type(@body, '$.total') IN ('integer', 'real', 'text') THEN @body ->> '$.total'
    END AS total,
    json_type(@body, '$.cursor') = 'text' AND @body ->> '$.cursor' <> '' AS hasCursor`

type PartFacts = ErrorFields & { exists: 0 | 1 }

/** Of the whole answer, or of the first item of its list: is it there, and is it an error? */
const PART_FACTS = `
  SELECT
    json_type(@body, @at) IS NOT NULL AS "exists",
    ${ERROR_FIELDS.map(name => `@body ->> (@at || '.${name}') AS ${name}`).join(', ')},
    json_type(@body, @at || '.message') IS NOT NULL AS hasMessage,
    json_type(@body, @at || '.id') IS NOT NULL AS hasId`

type FoundList = Pick<Page, 'total' | 'envelope' | 'hasCursor' | 'listPath'>

/** Finds the list in an answer. Throws where there is none, or where it is an error (INV-4). */
function createListFinder(memory: Database.Database, stream: Stream): (body: Buffer) => FoundList {
  const factsOf = memory.prepare<{ body: Buffer }, Facts>(FACTS)
  const partOf = memory.prepare<{ body: Buffer; at: string }, PartFacts>(PART_FACTS)
  const textOf = memory.prepare<[Buffer], string>('SELECT json(?)').pluck()
  const isLeftAway = (body: Buffer, { root, total }: Facts): boolean =>
    root === 'object' &&
    readTotal(total) === 0 &&
    typeof stream.answers !== 'object' &&
    leavesListAway(JSON.parse(textOf.get(body)!) as Record<string, unknown>)
  return body => {
    const facts = factsOf.get({ body })!
    const list = placeOf(facts) ?? (isLeftAway(body, facts) ? LEFT_AWAY : undefined)
    const answer = (): PartFacts => partOf.get({ body, at: '$' })!
    if (list === undefined) throw unknownEnvelope(stream, facts, answer())
    const { name, ...place } = list
    const first = partOf.get({ body, at: `${place.listPath}[0]` })!
    if (first.exists ? isErrorItem(first) : refusesEmptyList(answer())) throw errorBody(stream)
    const total = readTotal(facts['total'])
    const envelope = total === null && name !== undefined ? `${name} without total` : name
    return { ...place, total, envelope, hasCursor: facts['hasCursor'] === 1 }
  }
}

type ListPlace = Pick<FoundList, 'listPath'> & { name: string | undefined }

/** It has no name, which another answer would be compared with. */
const LEFT_AWAY: ListPlace = { name: undefined, listPath: ENVELOPES[0]!.listPath }

/** Where the list stands, and what that is called; undefined: nowhere that is known. */
function placeOf(facts: Facts): ListPlace | undefined {
  if (facts['root'] === 'array') return { name: 'a bare list', listPath: '$' }
  const ofType = (type: string) => ENVELOPES.find((_, index) => facts[`list${index}`] === type)
  const found = ofType('array')
  if (found !== undefined) return found
  // Null, and the total says 0: an empty list.
  return readTotal(facts['total']) === 0 ? ofType('null') : undefined
}

/** SQLite's parser takes JSON5, too; where it does not, it has a better explanation. */
function notStrict(stream: Stream, bytes: Buffer, parsed: () => Buffer): PartnerError {
  parsed()
  return new PartnerError(
    'PARTNER_TRUNCATED',
    `the answer of ${stream.path} is not valid JSON (${bytes.length} bytes)`,
  )
}

/**
 * A single record becomes a list of one, with what stands beside it inside; some servers leave the
 * field away and answer the record as it is.
 */
function asList({ answers }: Stream, body: string): string {
  if (typeof answers !== 'object') return body
  const path = `'$.${answers.record}'`
  return `CASE
    WHEN json_type(${body}, ${path}) = 'object'
      THEN jsonb_array(jsonb_patch(${body} -> ${path}, jsonb_remove(${body}, ${path})))
    WHEN json_type(${body}, '$.id') IS NOT NULL THEN jsonb_array(${body})
    ELSE ${body}
  END`
}

function parseOrExplain(parse: Database.Statement<[Buffer], Buffer>, bytes: Buffer): Buffer {
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
        'the answer holds a field that is nested deeper than 1,000 levels, ' +
          `which no table takes (${bytes.length} bytes)`,
        { remedy: 'The window stays unproven until the API has fixed that field.' },
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

/** Of two lists a parser shows one; which, differs from parser to parser. */
const fieldTwice = (stream: Stream): PartnerError =>
  new PartnerError('PARTNER_ENVELOPE', `${stream.path} answered an object that has a field twice`, {
    remedy: 'The window stays unproven; it was not treated as a whole list.',
  })

/** INV-4: names what came instead, never its content. */
function unknownEnvelope(stream: Stream, facts: Facts, answer: ErrorFields): PartnerError {
  if (isErrorBody(answer)) return errorBody(stream)
  const what = `JSON of type ${String(facts['root'])} without a known list`
  return new PartnerError('PARTNER_ENVELOPE', `${stream.path} answered ${what}`, {
    remedy:
      'Known are a bare list and objects with values, searchResult or results. ' +
      'The window stays unproven; it was not treated as an empty list.',
  })
}
