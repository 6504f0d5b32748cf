import { sql } from 'kysely'
import { toMinute } from '../calendar/days.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openReadOnly } from '../connectors/sqlite/read-only.ts'
import { UsageError } from '../errors.ts'
import { chooseStores, chooseStreams } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'

interface Version {
  store_id: string
  from_batch: number
  to_batch: number | null
  seen_from: number | null
  modified: number | null
  gone_at: number | null
  raw: string
}

interface Change {
  field: string
  from: unknown
  to: unknown
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
  const stores = chooseStores(config, options.store)
  const [stream] = chooseStreams([streamName])
  const database = await openReadOnly(config, streams)
  try {
    const { rows } =
      await sql<Version>`SELECT * FROM ${sql.table(`${stream}_versions`)} WHERE id = ${id} AND store_id IN (${sql.join(stores)}) ORDER BY store_id, from_batch, to_batch IS NULL, to_batch`.execute(
        database.db,
      )
    if (rows.length === 0)
      throw new UsageError(
        `${stream} has no record ${id}`,
        'Ids are those of the API, in the column id.',
      )
    const states = rows.map((version, index) => {
      const before = rows.slice(0, index).findLast(({ store_id }) => store_id === version.store_id)
      return {
        store: version.store_id,
        seenFrom: asIso(version.seen_from),
        modified: asIso(version.modified),
        state: stateOf(version),
        changes: before === undefined ? [] : changesBetween(parse(before), parse(version), ''),
      }
    })
    const shown = (changes: Change[]): object[] =>
      changes.map(({ field, from, to }) =>
        options.values === true ? { field, from, to } : { field },
      )
    if (terminal.json)
      terminal.print(
        JSON.stringify({
          stream,
          id,
          versions: states.map(({ changes, ...state }) => ({ ...state, changes: shown(changes) })),
        }),
      )
    else
      terminal.print(
        formatTable(
          ['store', 'seen (UTC)', 'modified (UTC)', 'state', 'changed'],
          states.map(({ store, seenFrom, modified, state, changes }) => [
            store,
            minutes(seenFrom),
            minutes(modified),
            state,
            changes.map(change => describe(change, options.values === true)).join('\n'),
          ]),
        ),
      )
    return 0
  } finally {
    await database.close()
  }
}

const asIso = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()
const minutes = (iso: string | null): string => (iso === null ? '' : toMinute(iso))
const describe = ({ field, from, to }: Change, values: boolean): string =>
  values ? `${field}: ${JSON.stringify(from) ?? 'none'} -> ${JSON.stringify(to) ?? 'none'}` : field

function stateOf({ from_batch: from, to_batch: to, gone_at: gone }: Version): string {
  if (from === to) return 'came out of order'
  return `${to === null ? 'stands' : 'stood'}${gone === null ? '' : ', gone'}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record with its numbers as they are spelled: `12.50` is not `12.5`. */
const parse = ({ raw }: Version): unknown =>
  JSON.parse(raw, (_, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? source : value,
  )

/** Fields that differ, by their place; lists are compared as wholes. */
function changesBetween(before: unknown, after: unknown, place: string): Change[] {
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
  options: [option('--values', 'what fields changed from and to, which may tell who somebody is')],
  audited: ({ store, values }, stream, id) => (values === true ? { store, stream, id } : undefined),
  run: history,
})
