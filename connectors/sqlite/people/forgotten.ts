import { hash as digest } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { AnswerText } from '../../record.ts'
import { readDatabase } from '../connection/open-connection.ts'
import type { PageToMerge } from '../window/page-parts.ts'
import { possibleIds, scrubRecord } from './scrub-record.ts'

/** Whoever was forgotten, as hashes: a later reading must know them again, and nobody else can. */
export interface ForgottenHash {
  hash: string
  salt: string
  /** Characters of the id: others need not be hashed. */
  length: number
}

export const hashOfMember = (id: string, salt: string): string => digest('sha256', `${salt}\n${id}`)

/** Knows those who were forgotten again. */
interface Recognition {
  isForgotten(id: string): boolean
  /** Whether a JSON text names one of them at all: quick, since hardly any page does. */
  isIn(json: string): boolean
}

/** Ids repeat from page to page, so answers are remembered. */
export function createRecognition(all: readonly ForgottenHash[]): Recognition {
  const hashes = new Set(all.map(({ hash }) => hash))
  const salts = [...new Set(all.map(({ salt }) => salt))]
  const lengths = [...new Set(all.map(({ length }) => length))]
  // The quote at the end may be the one at which another text begins.
  const texts = new RegExp(lengths.map(count => `"([^"\\\\]{${count}})(?=")`).join('|'), 'g')
  const known = new Map<string, boolean>()
  const isForgotten = (id: string): boolean => {
    if (!lengths.includes(id.length)) return false
    const answer = known.get(id) ?? salts.some(salt => hashes.has(hashOfMember(id, salt)))
    if (known.size > MOST_KNOWN) known.clear()
    known.set(id, answer)
    return answer
  }
  const names = (found: Iterable<RegExpMatchArray>): boolean => {
    for (const [, ...groups] of found)
      if (groups.some(id => id !== undefined && isForgotten(id))) return true
    return false
  }
  return {
    isForgotten,
    isIn: json =>
      names(json.matchAll(texts)) ||
      names(json.matchAll(NUMBERS)) ||
      namesEscaped(json, isForgotten),
  }
}

/** An id whose characters the API has escaped. */
const namesEscaped = (json: string, isForgotten: (id: string) => boolean): boolean =>
  json.includes('\\') && [...possibleIds(json)].some(isForgotten)

const MOST_KNOWN = 100_000

/** Numbers that stand as an id. */
const NUMBERS = /[iI][dD]s?"\s*:\s*\[?\s*(\d{1,20})/g

/** Keeps people who were forgotten from coming back with a later reading. */
export interface ForgottenPeople {
  /**
   * The page without them: their own records are skipped, their ids and fields taken out of others.
   */
  takeOut(store: string, page: PageToMerge): PageToMerge
}

const textIn = ({ json }: AnswerText): string => Buffer.from(json).toString('utf8')

export function createForgottenPeople(database: Database.Database): ForgottenPeople {
  const forgotten = database.prepare<[string], ForgottenHash>(
    'SELECT hash, salt, length FROM forgotten_members WHERE store_id = ?',
  )
  const asText = database.prepare<[Uint8Array], string>('SELECT json(?)').pluck()
  const records = database.prepare<[Uint8Array, string], { position: number; json: string }>(
    'SELECT key AS position, json(value) AS json FROM jsonb_each(?, ?)',
  )
  const replace = database
    .prepare<[Uint8Array, string, string], Buffer>('SELECT jsonb_replace(?, ?, jsonb(?))')
    .pluck()
  const checks = new Map<string, { key: string; recognition: Recognition }>()

  /** Others may be forgotten at any time, by another process. */
  function recognitionOf(store: string): Recognition | undefined {
    const all = forgotten.all(store)
    if (all.length === 0) return undefined
    const key = all.map(({ hash }) => hash).join(' ')
    const known = checks.get(store)
    if (known?.key === key) return known.recognition
    const recognition = createRecognition(all)
    checks.set(store, { key, recognition })
    return recognition
  }

  return {
    takeOut(store, page) {
      const recognition = recognitionOf(store)
      if (recognition === undefined) return page
      const text = page.text === undefined ? asText.get(page.jsonb())! : textIn(page.text)
      if (!recognition.isIn(text)) return page
      const skip = [...page.skip]
      let body = page.jsonb()
      for (const { position, json } of records.all(body, page.listPath)) {
        const scrubbed = scrubRecord(json, recognition.isForgotten)
        if (scrubbed === undefined && !skip.includes(position)) skip.push(position)
        if (scrubbed !== undefined && scrubbed !== json)
          body = replace.get(body, `${page.listPath}[${position}]`, scrubbed)!
      }
      return { ...page, jsonb: () => body, text: undefined, staged: undefined, skip }
    },
  }
}

/**
 * When people were forgotten whom `database` does not know of any more, as `earlier` says: a backup
 * that is older than that has brought them back. None where `earlier` cannot be read.
 */
export function forgottenOnlyIn(earlier: string, database: string): string[] {
  const now = new Set(forgottenTimes(database))
  return [...new Set(forgottenTimes(earlier))].filter(at => !now.has(at))
}

function forgottenTimes(path: string): string[] {
  try {
    return readDatabase(path, connection =>
      connection.prepare<[], string>('SELECT at FROM forgotten_members ORDER BY at').pluck().all(),
    )
  } catch {
    // Damaged, or of a version that forgot nobody.
    return []
  }
}
