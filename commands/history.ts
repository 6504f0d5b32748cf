import { wallMinute } from '../calendar/clock.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { RecordVersion } from '../connectors/destination/rows.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { chooseReadStores, chooseStreams } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

interface FieldChange {
  field: string
  from: unknown
  to: unknown
}

/** A state of a record, and what differs from the one before it. */
interface RecordState {
  store: string
  seenFrom: string | null
  modified: string | null
  state: string
  changes: FieldChange[]
}

interface HistoryOptions {
  store?: string
  values?: boolean
}

/**
 * `tillage history STREAM ID`: every state of a record that was seen, and which fields changed;
 * their values only on request (INV-10).
 */
export async function history(
  { config, terminal }: Context,
  options: HistoryOptions,
  streamName: string,
  id: string,
): Promise<number> {
  const [stream] = chooseStreams([streamName])
  await using database = await openReadOnly(config, streams)
  const stores = await chooseReadStores(config, database, options.store)
  const versions = await versionsOf(database, stores, stream!, id)
  const states = versions.map((version, index) =>
    asState(
      version,
      versions.slice(0, index).findLast(({ store }) => store === version.store),
    ),
  )
  const withValues = options.values === true
  terminal.print(
    terminal.json
      ? JSON.stringify({ stream, id, versions: states.map(one => asJson(one, withValues)) })
      : describeStates(states, await zonesOf(database, stores), withValues),
  )
  return 0
}

/** Of the record with this id, or else of the only one that people call so. */
async function versionsOf(
  database: ReadOnlyDatabase,
  stores: readonly string[],
  name: string,
  word: string,
): Promise<RecordVersion[]> {
  const versions = await database.versions.of(stores, name, word)
  if (versions.length > 0) return versions
  const stream = streams.find(one => one.name === name)!
  const named = await database.rows.named(stores, stream, word)
  const [only, another] = named
  if (only === undefined)
    throw new UsageError(
      `${name} has no record ${word}`,
      'Ids are those of the API, in the column id; part of a name will do for tillage find.',
    )
  if (another !== undefined)
    throw new UsageError(
      `${name} has ${named.length} records that are called ${word}`,
      `Name one of them: ${named.map(({ store, id }) => `${id} --store ${store}`).join(', ')}`,
    )
  return database.versions.of([only.store], name, only.id)
}

const asState = (version: RecordVersion, before: RecordVersion | undefined): RecordState => ({
  store: version.store,
  seenFrom: isoOrNull(version.seenFromMs),
  modified: isoOrNull(version.modifiedMs),
  state: nameState(version),
  changes: before === undefined ? [] : changesBetween(parse(before), parse(version), ''),
})

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : toIso(ms))

function nameState({ fromBatch, toBatch, goneAtMs }: RecordVersion): string {
  if (fromBatch === toBatch) return 'came out of order'
  const standing = toBatch === undefined ? 'stands' : 'stood'
  return goneAtMs === undefined ? standing : `${standing}, gone`
}

const asJson = ({ changes, ...state }: RecordState, withValues: boolean): object => ({
  ...state,
  changes: withValues ? changes : changes.map(({ field }) => ({ field })),
})

const zonesOf = async (
  database: ReadOnlyDatabase,
  stores: readonly string[],
): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      stores.map(async store => [store, await database.zoneOfRows(store)] as const),
    ),
  )

const describeStates = (
  states: readonly RecordState[],
  zones: ReadonlyMap<string, string>,
  withValues: boolean,
): string =>
  formatTable(
    ['store', 'seen (store time)', 'modified (store time)', 'state', 'changed'],
    states.map(({ store, seenFrom, modified, state, changes }) => [
      store,
      minuteOf(seenFrom, zones.get(store)),
      minuteOf(modified, zones.get(store)),
      state,
      changes.map(change => describeChange(change, withValues)),
    ]),
  )

const minuteOf = (iso: string | null, timeZone = 'UTC'): string =>
  iso === null ? '' : wallMinute(fromIso(iso), timeZone)

const describeChange = ({ field, from, to }: FieldChange, withValues: boolean): string =>
  withValues
    ? `${field}: ${JSON.stringify(from) ?? 'none'} -> ${JSON.stringify(to) ?? 'none'}`
    : field

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record with its numbers as they are spelled: `12.50` is not `12.5`. */
const parse = ({ raw }: RecordVersion): unknown =>
  JSON.parse(raw, (_, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? source : value,
  )

/** Fields that differ, by their place; lists are compared as wholes. */
function changesBetween(before: unknown, after: unknown, place: string): FieldChange[] {
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(key =>
      changesBetween(before[key], after[key], place === '' ? key : `${place}.${key}`),
    )
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ field: place, from: before, to: after }]
}

export const command = declareCommand<HistoryOptions, [string, string]>({
  takes: '<stream> <id>',
  choose: 'For example: tillage history products ID. Streams: tillage streams',
  options: [option('--values', 'show old and new values, which may identify people')],
  audited: ({ store, values }, stream, id) => (values === true ? { store, stream, id } : undefined),
  run: history,
})
