import { wireRange } from '../calendar/windows.ts'
import type { WireRange } from '../calendar/windows.ts'
import { recordTexts } from '../connectors/answer/judge-records.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import type { SeenRow } from '../connectors/partner/read-rows.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import type { Retries } from '../connectors/partner/with-retries.ts'
import { PartnerError, TillageError } from '../errors.ts'
import { rowsOfPass } from './prove.ts'
import type { Reason } from './prove.ts'
import { readWindow } from './read-window.ts'
import type { FinalVerdict, ListAddress } from './reading.ts'
import { startReading } from './reading.ts'

/** A list that somebody who waits for it is going to believe. */
export interface ListToProve {
  endpoint: Endpoint
  /** Absent: the one list of the endpoint. */
  address?: ListAddress | undefined
  /** Absent: the list takes no dates. */
  wire?: WireRange
  signal: AbortSignal
  /** Absent: the first failure is thrown. */
  retries?: Omit<Retries, 'signal'> | undefined
}

export interface ProvenList {
  /** The JSON text of each record, with every digit, as the list shows them. */
  records: string[]
  /** The rule by which it is proven. */
  by: string
  /** Some of its bytes are no UTF-8, so letters of its records cannot be read. */
  hasUnreadableText: boolean
}

/**
 * Reads a list until it is proven whole (INV-1); an attempt that fails keeps what it has read.
 * Every list that is believed and does not go into the tables comes from here. Throws LIST_MOVED
 * where it changed each time, and NOT_PROVEN where it cannot be proven for another reason: what
 * such a list does not show may be there all the same.
 */
export async function proveList(list: ListToProve): Promise<ProvenList> {
  const { endpoint, address, signal, retries, wire = EVERYTHING } = list
  const reading = startReading(NOT_STAGED)
  const texts = new WeakMap<SeenRow, string>()
  const context = {
    endpoint,
    wire,
    signal,
    keepsTwins: true,
    keepPage: async (page: Page) =>
      recordTexts(endpoint.stream, page).forEach((text, place) =>
        texts.set(page.rows[place]!, text),
      ),
  } as const
  const read = (): Promise<FinalVerdict> => readWindow(context, reading, address)
  const verdict = await (retries === undefined ? read() : withRetries(read, { signal, ...retries }))
  if (verdict.status !== 'proven') throw unproven(endpoint.stream.name, verdict.reason)
  return {
    records: rowsOfPass(reading.passes.at(-1)!).map(row => texts.get(row)!),
    by: verdict.by,
    hasUnreadableText: reading.findings.has('text_unreadable'),
  }
}

/** Its pages go to no table, so nobody asks for them by the id of the reading. */
const NOT_STAGED = 'not staged'
const EVERYTHING = wireRange({ startMs: 0, endMs: 0 }, 'UTC', 'full-refresh')

const unproven = (name: string, reason: Reason): TillageError =>
  reason === 'moving'
    ? new TillageError('LIST_MOVED', `the list of ${name} changed during every reading`, {
        remedy: 'Nothing was written. Run the same command again when fewer people edit it.',
      })
    : new TillageError('NOT_PROVEN', `the list of ${name} cannot be proven whole (${reason})`, {
        remedy: 'Nothing was written. tillage doctor says how the API answers this list.',
      })

const OF_A_LIST: ReadonlySet<string> = new Set(['LIST_MOVED', 'NOT_PROVEN', 'WINDOW_TOO_LARGE'])

/** The API could not be read, or a list of it could not be proven: nothing follows from it. */
export const isUnread = (error: unknown): error is TillageError =>
  error instanceof PartnerError || (error instanceof TillageError && OF_A_LIST.has(error.code))
