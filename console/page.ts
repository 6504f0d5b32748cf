import type { BooksPlace } from '../books/books-place.ts'
import type { WorkerStanding } from '../commands/status/worker-is-up.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { Content } from '../documents/html.ts'
import type { CommandRuns } from './actions/run-command.ts'
import type { DataTable } from './parts/data-table.ts'
import type { Session } from './sessions.ts'

/** What a page is made from: everything is read, nothing is computed here. */
export interface PagePlace extends BooksPlace {
  outbound: OutboundStore
  worker: WorkerStanding
  /** What was started on pages of this console. */
  commands: Pick<CommandRuns, 'find' | 'all'>
  /** What the audit log has under this name, oldest first. */
  notedActs(act: string): Promise<Readonly<Record<string, unknown>>[]>
}

/** Who asks for which part of what. */
export interface PageRequest {
  person: Session
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The address that was asked for, with its query: whoever starts something comes back to it. */
  address: string
  nowMs: number
  /** Those of the settings, to choose from. */
  stores: readonly string[]
  /** The token of this person's forms. */
  csrf: string
}

export interface Page {
  /** The one `h1`. */
  title: string
  /** What somebody would say on the telephone. */
  sentence: string
  /** Whose clocks its times are of. */
  timeZone: string
  parts: readonly (Content | DataTable)[]
  /** The command that says the same. */
  command: string
  /** Something is under way: after so long the browser asks again. */
  refreshSeconds?: number
}

/** Undefined: there is no such thing. */
export type ShowPage = (place: PagePlace, request: PageRequest) => Promise<Page | undefined>
