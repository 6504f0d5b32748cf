import type { IncomingMessage, ServerResponse } from 'node:http'
import { asyncLocalStorage } from '@temporalio/activity'
import type { Context } from '@temporalio/activity'
import { sql } from 'kysely'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Dependencies } from '../../activities/dependencies.ts'
import { syncWindow } from '../../activities/sync-window.ts'
import type { WindowResult } from '../../activities/sync-window.ts'
import { toIso } from '../../calendar/days.ts'
import { STORE_PATH } from '../../connectors/partner/store-info.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import type { SqliteDestination } from '../../connectors/sqlite/destination.ts'
import type { Stream } from '../../connectors/stream.ts'
import { asDay, SERVER_READINGS } from '../calendar/server-readings.ts'
import type { ServerReading } from '../calendar/server-readings.ts'
import { newPath } from '../connectors/sqlite/window-database.ts'
import { queryOf, serve, tickets } from '../reading/list-server.ts'

export interface Rec {
  id: string
  modified: number
  created?: number
  deleted?: boolean
}

/** A server of one list whose records a test changes, and how it answers for one record. */
export interface RecordServer {
  records: Rec[]
  lookups: 'work' | 'find nothing' | 'refuse'
  /** Ids by which it refuses to be asked. */
  refuses: ReadonlySet<string>
  /** Which of its times the list filters by. */
  filter: 'modified' | 'created'
  /** How it reads days, of a list that takes such; asked anew for each request. */
  readsDays: () => ServerReading
  /** What a page says, twisted. */
  lie: (rows: Rec[], total: number, offset: number) => { rows: Rec[]; total: number | null }
  /** Ids that the list leaves out. */
  hides: ReadonlySet<string>
  /** Whether a path is answered by a 503 this time. */
  fails: (path: string) => boolean
  /** What an answer to a path waits for. */
  hold: (path: string) => Promise<void> | undefined
  asked: string[]
  /** Which run of a workflow reads. */
  workflow: { workflowId: string; runId: string }
}

export const NOW = Date.parse('2026-03-10T12:00:00.000Z')
export const START = Date.parse('2026-03-02T00:00:00.000Z')
export const HOUR = 3_600_000

export interface Synced {
  server: RecordServer
  dependencies: Dependencies<SqliteDestination>
  /** Runs the real activity for a window, outside of Temporal, until it is out of time. */
  sync(startMs?: number, endMs?: number, outOfTime?: AbortSignal): Promise<WindowResult>
  /** Ids of the living rows and of the tombstones. */
  rows(): Promise<{ alive: string[]; gone: string[] }>
  findings(): Promise<string[]>
  close(): Promise<void>
}

/** Client, proof, activity and database as they are, against a server of a few records. */
export async function startRecords(
  changes: Partial<Stream> = {},
  timeZone = 'UTC',
): Promise<Synced> {
  const stream: Stream = { ...tickets, lookup: { path: '/api/tickets/{id}' }, ...changes }
  const server: RecordServer = {
    records: [],
    lookups: 'work',
    refuses: new Set(),
    filter: 'modified',
    readsDays: () => SERVER_READINGS[0]!,
    lie: (rows, total) => ({ rows, total }),
    hides: new Set(),
    fails: () => false,
    hold: () => undefined,
    asked: [],
    workflow: { workflowId: 'w', runId: 'r' },
  }
  const baseUrl = await serve((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://localhost').pathname
    response.setHeader('content-type', 'application/json')
    // It names no shop.
    if (path === STORE_PATH) return void response.end('{}')
    server.asked.push(path)
    await server.hold(path)
    if (server.fails(path)) {
      response.statusCode = 503
      return void response.end(JSON.stringify({ message: 'busy', errorType: 'Unavailable' }))
    }
    const single = /^\/api\/tickets\/(.+)$/.exec(path)
    if (single !== null) {
      const isRefused = server.lookups === 'refuse' || server.refuses.has(single[1]!)
      const record =
        server.lookups === 'work' && !isRefused
          ? server.records.find(({ id }) => id === single[1])
          : undefined
      const refusal = isRefused ? 400 : 404
      response.statusCode = record === undefined ? refusal : 200
      return void response.end(JSON.stringify(record ?? { message: 'no', errorType: 'NotFound' }))
    }
    const query = queryOf(request)
    const { holds } = server.readsDays()
    const within = (rec: Rec): boolean => {
      const [from, to] = [query.get('startDate'), query.get('endDate')]
      const ms = rec[server.filter] ?? rec.modified
      if (from === null || to === null) return true
      if (stream.windowing === 'days') return holds(ms, asDay(from), asDay(to), timeZone)
      return ms >= Number(from) && ms <= Number(to)
    }
    const list = server.records
      .filter(rec => within(rec) && !server.hides.has(rec.id))
      .sort((a, b) => b.modified - a.modified || (a.id < b.id ? -1 : 1))
    const offset = Number(query.get('skip'))
    const { rows, total } = server.lie(
      list.slice(offset, offset + Number(query.get('limit'))),
      list.length,
      offset,
    )
    response.end(JSON.stringify({ values: rows, ...(total === null ? {} : { total }) }))
  }
  const destination = await openDestination(newPath(), [stream])
  const settings = {
    id: 'downtown',
    baseUrl,
    partnerKey: 'p',
    developerKey: 'd',
    timeZone,
    limits: { concurrency: 4, requestsPerSecond: Infinity },
  }
  const dependencies = createDependencies(destination, [stream], [settings], () =>
    Promise.reject(new Error('no books here')),
  )
  dependencies.now = () => NOW
  const context = {
    cancellationSignal: new AbortController().signal,
    info: { workflowExecution: server.workflow },
  } as unknown as Context
  const select = async (where: string): Promise<string[]> => {
    const { rows } = await sql<{
      id: string
    }>`SELECT id FROM ${sql.table(stream.name)} WHERE ${sql.raw(where)} ORDER BY id`.execute(
      destination.db,
    )
    return rows.map(({ id }) => id)
  }
  return {
    server,
    dependencies,
    sync: (
      startMs = START,
      endMs = START + 5 * 24 * HOUR,
      outOfTime = AbortSignal.timeout(dependencies.longestAttemptMs),
    ) =>
      asyncLocalStorage.run(context, () =>
        syncWindow(
          dependencies,
          {
            store: 'downtown',
            stream: stream.name,
            timeZone,
            window: { start: toIso(startMs), end: toIso(endMs) },
          },
          outOfTime,
        ),
      ),
    rows: async () => ({
      alive: await select('deleted_at IS NULL'),
      gone: await select('deleted_at IS NOT NULL'),
    }),
    findings: async () =>
      (await destination.db.selectFrom('findings').select('code').orderBy('code').execute()).map(
        ({ code }) => code,
      ),
    close: () => dependencies.close(),
  }
}
