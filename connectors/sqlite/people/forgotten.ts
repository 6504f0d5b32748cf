import { hash as digest } from 'node:crypto'
import type Database from 'better-sqlite3'
import { createRecordExaminer } from '../../answer/examine-records.ts'
import { recordTexts } from '../../answer/record-texts.ts'
import { bytesOf } from '../../answer/values.ts'
import type { Stream } from '../../stream.ts'
import { readDatabase } from '../connection/open-connection.ts'
import type { PageOfRecords } from '../pages/bulk-rows.ts'
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
export interface Recognition {
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
  /** Those of a store; undefined: nobody. The same object as long as nobody else is forgotten. */
  of(store: string): Recognition | undefined
  /**
   * The page without them: their own records are dropped, their ids and fields taken out of others.
   */
  takeOut(people: Recognition | undefined, stream: Stream, page: PageOfRecords): PageOfRecords
}

export function createForgottenPeople(database: Database.Database): ForgottenPeople {
  const forgotten = database.prepare<[string], ForgottenHash>(
    'SELECT hash, salt, length FROM forgotten_members WHERE store_id = ?',
  )
  const known = new Map<string, { key: string; recognition: Recognition }>()
  return {
    // Others may be forgotten at any time, by another process.
    of(store) {
      const all = forgotten.all(store)
      if (all.length === 0) return undefined
      const key = all.map(({ hash }) => hash).join(' ')
      const before = known.get(store)
      if (before?.key === key) return before.recognition
      const recognition = createRecognition(all)
      known.set(store, { key, recognition })
      return recognition
    },
    takeOut(people, stream, page) {
      if (people?.isIn(bytesOf(page.text).toString('utf8')) !== true) return page
      const scrubbed = recordTexts(stream, page).map(json => scrubRecord(json, people.isForgotten))
      const dropped = [...scrubbed.keys()].filter(position => scrubbed[position] === undefined)
      const others = createRecordExaminer(stream)(scrubbed.map(json => json ?? '{}'))
      const isElsewhere = (position: number): boolean => !dropped.includes(position)
      return {
        ...page,
        text: others.text,
        unfit: others.unfit.filter(({ position }) => isElsewhere(position)),
        superseded: page.superseded.filter(isElsewhere),
        dropped,
      }
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
