import { isDeepStrictEqual } from 'node:util'
import { isMap, isSeq, parse, parseDocument } from 'yaml'
import { patternsOf } from '../../config/store-files.ts'
import { UsageError } from '../../errors.ts'
import type { Answers } from './answers.ts'

/** What the first store of a configuration says that others of its chain say, too. */
export function usualAnswers(text: string): Partial<Answers> {
  const { stores } = parse(text, { logLevel: 'error' }) as { stores?: unknown }
  const [first] = Array.isArray(stores) ? (stores as unknown[]) : []
  const { baseUrl, partnerKey } = (first ?? {}) as { baseUrl?: unknown; partnerKey?: unknown }
  const name = /^\$\{(\w+)\}$/.exec(String(partnerKey))?.[1]
  return {
    ...(typeof baseUrl === 'string' ? { url: baseUrl } : {}),
    ...(name === undefined ? {} : { partnerKeyName: name }),
  }
}

/** A store is configured once. */
export function refuseKnown(text: string, answers: readonly Answers[]): void {
  const { stores } = parse(text, { logLevel: 'error' }) as { stores?: unknown }
  const known = Array.isArray(stores) ? (stores as { id?: unknown }[]) : []
  const ids = known.map(({ id }) => String(id).toLowerCase())
  const twice = answers.find(({ store }) => ids.includes(store.toLowerCase()))
  if (twice !== undefined)
    throw new UsageError(`${twice.store} is in this file already`, 'Nothing was written.')
}

/**
 * A `tillage.yaml` with more stores: `entries` (indented by two) stand below its last one, and
 * everything else stays as it was, comments included. Throws a UsageError where the stores do not
 * stand on lines of their own, or in files of their own.
 */
export function addStores(text: string, entries: string): string {
  const patterns = patternsOf(parse(text, { logLevel: 'error' }))
  if (patterns.length > 0) throw standInFiles(patterns, entries)
  const last = lastStore(text)
  const indent = last === undefined ? undefined : /^( *)- /.exec(lineAt(text, last.startsAt))?.[1]
  if (last === undefined || indent === undefined) throw cannotAdd(entries)
  const at = endOfEntry(text, last.endsAt, indent.length)
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const added = entries
    .trimEnd()
    .split('\n')
    .map(entry => `${indent}${entry.slice(2)}`)
  const longer = `${text.slice(0, at)}${line}${added.join(line)}${text.slice(at)}`
  if (!isSameButStores(text, longer)) throw cannotAdd(entries)
  return longer
}

function lastStore(text: string): { startsAt: number; endsAt: number } | undefined {
  const stores = parseDocument(text).get('stores')
  if (!isSeq(stores) || stores.flow === true) return undefined
  const store = stores.items.at(-1)
  if (!isMap(store) || !store.range) return undefined
  const [startsAt, endsAt] = store.range
  return { startsAt, endsAt }
}

const lineAt = (text: string, at: number): string =>
  text.slice(text.lastIndexOf('\n', at - 1) + 1, at)

/** The end of its last line, with the comments below that are indented as it is. */
function endOfEntry(text: string, valueEnd: number, indent: number): number {
  const lastCharacter = text.slice(0, valueEnd).trimEnd().length
  const rest = new RegExp(`.*(?:\r?\n {${indent + 1},}#.*)*`).exec(text.slice(lastCharacter))!
  return lastCharacter + rest[0].trimEnd().length
}

function isSameButStores(before: string, after: string): boolean {
  const [old, now] = [before, after].map(
    text => parse(text, { logLevel: 'error' }) as { stores: unknown[] },
  )
  const known = old!.stores.length
  return (
    now!.stores.length > known &&
    isDeepStrictEqual({ ...now, stores: now!.stores.slice(0, known) }, old)
  )
}

const standInFiles = (patterns: readonly string[], entries: string): UsageError =>
  new UsageError(
    `the stores of this file stand in others (${patterns.join(', ')}), so nothing was added`,
    `Write it into one of them, or into another one of such a name:\n${entries
      .trimEnd()
      .replaceAll(/^ {2}/gm, '')}`,
  )

const cannotAdd = (entries: string): UsageError =>
  new UsageError(
    'the stores of this file do not stand on lines of their own, so nothing was added',
    `Add it yourself, below stores:\n${entries.trimEnd()}`,
  )
