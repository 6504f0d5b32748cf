import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Stream } from '../stream.ts'
import type { PageToMerge } from './merge.ts'
import { personalFields, possibleIds, scrubRecord } from './scrub-record.ts'

/** Whoever was forgotten, as hashes: a later reading must know them again, and nobody else can. */
export interface ForgottenHash {
  hash: string
  salt: string
}

export const hashOfMember = (id: string, salt: string): string =>
  createHash('sha256').update(`${salt}\n${id}`).digest('hex')

/** Whether an id is that of somebody who was forgotten; ids repeat from page to page. */
export function createIsForgotten(all: readonly ForgottenHash[]): (id: string) => boolean {
  const hashes = new Set(all.map(({ hash }) => hash))
  const salts = [...new Set(all.map(({ salt }) => salt))]
  const known = new Map<string, boolean>()
  return id => {
    const answer = known.get(id) ?? salts.some(salt => hashes.has(hashOfMember(id, salt)))
    if (known.size > MOST_KNOWN) known.clear()
    known.set(id, answer)
    return answer
  }
}

const MOST_KNOWN = 100_000

/** Keeps people who were forgotten from coming back with a later reading. */
export interface ForgottenPeople {
  /** The page without them: their own records are skipped, their ids and fields taken out of others. */
  takeOut(store: string, page: PageToMerge): PageToMerge
}

export function createForgottenPeople(
  database: Database.Database,
  streams: readonly Stream[],
): ForgottenPeople {
  const forgotten = database.prepare<[string], ForgottenHash>(
    'SELECT hash, salt FROM forgotten_members WHERE store_id = ?',
  )
  const asText = database.prepare<[Uint8Array], string>('SELECT json(?)').pluck()
  const records = database.prepare<[Uint8Array, string], { position: number; json: string }>(
    'SELECT key AS position, json(value) AS json FROM jsonb_each(?, ?)',
  )
  const replace = database
    .prepare<[Uint8Array, string, string], Buffer>('SELECT jsonb_replace(?, ?, jsonb(?))')
    .pluck()
  const personal = personalFields(streams)
  const checks = new Map<string, { key: string; isForgotten: (id: string) => boolean }>()

  /** Others may be forgotten at any time, by another process. */
  function checkOf(store: string): ((id: string) => boolean) | undefined {
    const all = forgotten.all(store)
    if (all.length === 0) return undefined
    const key = all.map(({ hash }) => hash).join(' ')
    const known = checks.get(store)
    if (known?.key === key) return known.isForgotten
    const isForgotten = createIsForgotten(all)
    checks.set(store, { key, isForgotten })
    return isForgotten
  }

  return {
    takeOut(store, page) {
      const isForgotten = checkOf(store)
      if (isForgotten === undefined) return page
      if (![...possibleIds(asText.get(page.body)!)].some(isForgotten)) return page
      const skip = [...page.skip]
      let { body } = page
      for (const { position, json } of records.all(page.body, page.listPath)) {
        const scrubbed = scrubRecord(json, { personal, isForgotten })
        if (scrubbed === undefined && !skip.includes(position)) skip.push(position)
        if (scrubbed !== undefined && scrubbed !== json)
          body = replace.get(body, `${page.listPath}[${position}]`, scrubbed)!
      }
      return { ...page, body, skip }
    },
  }
}
