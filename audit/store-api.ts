import { MINUTE_MS } from '../calendar/days.ts'
import { call } from '../connectors/partner/call.ts'
import type { ArgumentsOf, CallResult, List } from '../connectors/partner/call.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import type { PartnerClient, PartnerCredentials } from '../connectors/partner/client.ts'
import type { OperationId } from '../connectors/partner/contract/index.ts'
import { createGovernor } from '../connectors/partner/governor.ts'
import type { Governor, Limits } from '../connectors/partner/governor.ts'
import { findLargestLimit, refusesParameters } from '../connectors/partner/largest-limit.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import type { Retries } from '../connectors/partner/with-retries.ts'
import { TillageError } from '../errors.ts'
import type { Fields } from '../exports/books/record.ts'

/** A store's API as audits read it: live, a few lists at a time, under the store's governor. */
export interface StoreApi {
  store: string
  client: PartnerClient
  governor: Governor
  /** How many requests were made so far. */
  readonly requests: number
  /** One operation that only reads; asked again where the API is busy or gone for a moment. */
  read<const Id extends OperationId>(
    id: Id,
    given: ArgumentsOf<Id>,
  ): Promise<CallResult<Id>['value']>
  /** All pages of a list that takes `start` and `limit`. */
  readPages(id: OperationId, parameters?: Readonly<Record<string, string>>): Promise<Fields[]>
  close(): Promise<void>
}

export interface ApiStore extends PartnerCredentials {
  id: string
  limits: Limits
}

/**
 * The lists must be read close together in time, so what fails is asked again right here. The
 * governor answers for an API that asked for a pause, with what is left of it.
 */
export const auditRetries = (signal: AbortSignal): Retries => ({
  signal,
  isPassing: error => error.recovery === 'retry',
  pausesMs: [250, 500, 1000, 2000, 4000, 8000],
  longestPauseMs: 3 * MINUTE_MS,
})

export function openStoreApi(
  settings: ApiStore,
  signal: AbortSignal,
  shared?: { client: PartnerClient; governor: Governor },
): StoreApi {
  const client = shared?.client ?? createPartnerClient(settings)
  const governor = shared?.governor ?? createGovernor(settings.limits)
  let requests = 0
  const pages = createPageSizes()
  const read: StoreApi['read'] = (id, given) =>
    withRetries(async () => {
      const { value } = await governor.run(() => {
        requests++
        return call(client, id, given, signal)
      })
      return value
    }, auditRetries(signal))
  return {
    store: settings.id,
    client,
    governor,
    get requests() {
      return requests
    },
    read,
    readPages: (id, parameters = {}) => readPages({ read, pages }, id, parameters),
    close: async () => {
      if (shared === undefined) await client.close()
    },
  }
}

/** What a page is asked for with. */
interface Paging {
  read: StoreApi['read']
  pages: PageSizes
}

/**
 * Advances by the rows that came, not by what was asked for: the page cap is not documented. The
 * offset goes by both documented names, `start` and `skip`. A list that repeats itself, or that
 * grows or shrinks while it is read, is read again; one that will not hold still is an error.
 */
async function readPages(
  paging: Paging,
  id: OperationId,
  parameters: Readonly<Record<string, string>>,
): Promise<Fields[]> {
  for (let turn = 0; turn < MOST_READINGS; turn++) {
    const rows = await readOnce(paging, id, parameters)
    if (rows !== undefined) return rows
  }
  throw new TillageError(
    'LIST_MOVED',
    `the list of ${id} changed each of ${MOST_READINGS} times that it was read`,
    { remedy: 'Nothing was written. Run the same command again, better when the store is closed.' },
  )
}

const MOST_READINGS = 5
const PAGE = 100

/**
 * Undefined where the rows are not as many as the API says that there are, and where a page shows
 * again what others have shown: rows that have no id would count twice.
 */
async function readOnce(
  { read, pages }: Paging,
  id: OperationId,
  parameters: Readonly<Record<string, string>>,
): Promise<Fields[] | undefined> {
  const rows: Fields[] = []
  const judge = createPageJudge()
  const totals = new Set<number | null>()
  while (rows.length < MOST_ROWS) {
    const offset = String(rows.length)
    const asked = { ...parameters, start: offset, skip: offset }
    const { items, total } = await pages.ask(
      id,
      async limit =>
        (await read(id, { parameters: { ...asked, limit: String(limit) } })) as List<Fields>,
    )
    totals.add(total)
    const isMore = judge(items)
    if (isMore === undefined) return undefined
    if (!isMore) break
    rows.push(...items)
    if (rows.length === total) break
  }
  return rows.length < MOST_ROWS && isWhole(rows, [...totals]) ? rows : undefined
}

/** A list that goes on for longer has no end. */
const MOST_ROWS = 1_000_000

/**
 * Whether a page goes on where those before it ended. Undefined where it shows again what they have
 * shown, and not all of it: then the list has moved.
 */
function createPageJudge(): (items: readonly Fields[]) => boolean | undefined {
  const known = new Set<string>()
  let rows = 0
  let before = ''
  return items => {
    const shown = JSON.stringify(items)
    const again = items.filter(row => known.has(identityOf(row))).length
    // The same again, or the first page: it takes no offset, and shows all that there is.
    if (again === items.length && (again === rows || again === 0 || shown === before)) return false
    if (2 * again > items.length) return undefined
    for (const row of items) known.add(identityOf(row))
    rows += items.length
    before = shown
    return true
  }
}

/** What tells a row from others also after its figures have changed: its id, or those in it. */
function identityOf(row: Fields): string {
  if (row['id'] !== undefined) return JSON.stringify(row['id'])
  const ids = Object.entries(row).filter(([field]) => field.endsWith('Id'))
  return JSON.stringify(ids.length > 0 ? ids : row)
}

interface PageSizes {
  /** Asks for as many rows as the list takes: fewer than 100 where it refuses those. */
  ask<T>(id: OperationId, ask: (limit: number) => Promise<T>): Promise<T>
}

function createPageSizes(): PageSizes {
  const found = new Map<OperationId, number>()
  return {
    ask: async (id, ask) => {
      const limit = found.get(id) ?? PAGE
      try {
        return await ask(limit)
      } catch (error) {
        const isFirst = !found.has(id) && refusesParameters(error)
        const taken = isFirst ? await findLargestLimit(limit, ask) : undefined
        if (taken === undefined) throw error
        found.set(id, taken)
        return ask(taken)
      }
    },
  }
}

/** One total all the while, as many rows, and none of them twice. */
const isWhole = (rows: readonly Fields[], totals: readonly (number | null)[]): boolean =>
  totals.length === 1 && (totals[0] === null || rows.length === totals[0]) && !hasTwins(rows)

/** A record that stands there twice has pushed another one out of sight. */
function hasTwins(rows: readonly Fields[]): boolean {
  const ids = rows.flatMap(row => row['id'] ?? [])
  return new Set(ids).size < ids.length
}
