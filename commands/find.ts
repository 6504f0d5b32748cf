import { discardOf, recordsOf } from '../audit/audit-state.ts'
import { findAudit } from '../audit/folder.ts'
import { businessDayOf, storeClockOf } from '../books/store-clock.ts'
import { toMinute } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { NamedRow } from '../connectors/destination/rows.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { UsageError } from '../errors.ts'
import { storesOf } from '../outbound/waiting-plans.ts'
import { chooseReadStores } from './arguments/choices.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { readOutbound } from './plans/with-outbound.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Something that a word names. */
interface Found {
  store: string
  /** `transaction`, `batch`, `journal`, `push`, ... */
  what: string
  /** What tells it from others: the id, and the name that the word is in. */
  name: string
  /** Where it stands. */
  stands: string
  /** What tells its story. */
  command: string
}

interface Place {
  config: Config
  database: ReadOnlyDatabase
  stores: readonly string[]
  terminal: Terminal
}

/** `tillage find WORD`: what it is, where it stands, and the command that tells its story. */
async function find(
  { config, terminal }: Context,
  { store }: { store?: string },
  word: string,
): Promise<number> {
  await using database = await openReadOnly(config, streams)
  const stores = await chooseReadStores(config, database, store)
  const found = await findAll({ config, database, stores, terminal }, word.trim())
  if (found.length === 0)
    throw new UsageError(
      `nothing here is called ${JSON.stringify(word)}`,
      'It finds receipt numbers, SKUs, package tags, names of products and vendors, numbers of ' +
        'orders and journals, ids, plans and audits. What was read: tillage coverage.',
    )
  terminal.print(
    terminal.json
      ? JSON.stringify({ found })
      : formatTable(
          ['store', 'what', 'name', 'stands', 'more'],
          found.map(one => [one.store, one.what, one.name, one.stands, one.command]),
          { below: 'more' },
        ),
  )
  return 0
}

/** A word that names nothing as a whole may be a part of a name. */
async function findAll(place: Place, word: string): Promise<Found[]> {
  if (word === '') return []
  const whole = [
    ...(await findRecords(place, word, false)),
    ...(await findJournals(place, word)),
    ...(await findPlans(place, word)),
    ...findAudits(place, word),
  ]
  return whole.length > 0 || word.length < SHORTEST_PART ? whole : findRecords(place, word, true)
}

const SHORTEST_PART = 3

async function findRecords(place: Place, word: string, within: boolean): Promise<Found[]> {
  const found: Found[] = []
  for (const stream of streams) {
    if (within && stream.knownBy === undefined) continue
    for (const row of await place.database.rows.named(place.stores, stream, word, within))
      found.push(await describeRecord(place, stream, row))
  }
  return found
}

async function describeRecord(place: Place, stream: Stream, row: NamedRow): Promise<Found> {
  const { store, id, column, text, isGone } = row
  return {
    store,
    what: stream.singular.replaceAll('_', ' '),
    name: column === 'id' ? id : `${text} (${id})`,
    stands: isGone ? 'deleted' : await standingOf(place, row),
    command: `tillage history ${stream.name} ${id} --store ${store}`,
  }
}

/** Of a transaction: the business day, and the journal that it is in. */
async function standingOf({ config, database }: Place, { store, bookedMs }: NamedRow) {
  if (bookedMs === null) return 'there'
  const clock = storeClockOf(config, store, await database.zoneOfRows(store))
  const day = businessDayOf(bookedMs, clock)
  const journal = (await database.givenOut.posted(store, day)).at(-1)?.number
  return `${day}, ${journal === undefined ? 'not booked' : `booked by ${journal}`}`
}

const findJournals = async ({ database, stores }: Place, word: string): Promise<Found[]> =>
  (await database.givenOut.entriesNumbered(word))
    .filter(({ store }) => stores.includes(store))
    .map(({ store, day, number }) => ({
      store,
      what: 'journal',
      name: number,
      stands: `about ${day}`,
      command: `tillage journal --store ${store} --date ${day} --dry-run`,
    }))

async function findPlans({ config, terminal }: Place, word: string): Promise<Found[]> {
  const plan = await readOutbound(config, terminal, outbound => outbound.plan(word))
  if (plan === undefined) return []
  return [
    {
      store: storesOf(plan).join(', '),
      what: `${plan.kind} plan`,
      name: plan.plan,
      stands: `made ${toMinute(plan.createdAt)} UTC`,
      command: `tillage ${plan.kind} show ${plan.plan}`,
    },
  ]
}

/** Of any store, as plans are: one that was renamed has left them under its earlier id. */
function findAudits({ config }: Place, word: string): Found[] {
  const folder = findAudit(config.exports, word)
  if (folder === undefined) return []
  return [
    {
      store: folder.store,
      what: 'audit',
      name: folder.audit,
      stands: folder.path,
      command:
        discardOf(recordsOf(folder)) === undefined
          ? `tillage audit report ${folder.audit} --counts FILE`
          : `tillage audit list --store ${folder.store}`,
    },
  ]
}

export const command = declareCommand<{ store?: string }, [string]>({
  readsExports: true,
  takes: '<word>',
  choose: 'For example: tillage find 10234, with the number of a receipt',
  run: find,
})
