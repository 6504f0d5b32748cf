import { hash as digest } from 'node:crypto'
import { createRecordExaminer, recordTexts } from '../answer/judge-records.ts'
import { bytesOf } from '../cells.ts'
import type { PageOfRecords } from '../staged/stage-records.ts'
import type { Stream } from '../stream.ts'
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

/**
 * A page without people who were forgotten: their own records are dropped, their ids and fields
 * taken out of others.
 */
export function takeOut(
  people: Recognition | undefined,
  stream: Stream,
  page: PageOfRecords,
): PageOfRecords {
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
}
