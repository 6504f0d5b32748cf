import { toIso } from '../calendar/days.ts'
import { watermarkOf } from '../connectors/destination/coverage.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openReadOnly } from '../connectors/sqlite/read-only.ts'
import { readDue } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { chooseStores } from './choices.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'

interface StreamStatus {
  store: string
  stream: string
  rows: number
  /** Everything below it is proven, contiguously; ISO, UTC. */
  watermark: string | null
  unproven: number
  deadLetters: number
  findings: number
  lastReadAt: string | null
}

/**
 * `tillage status`: one line for each store and stream, and for what is due. 3 if something is
 * unproven or dead-lettered, or was due and did not happen.
 */
export async function status({ config, terminal }: Context): Promise<number> {
  const database = await openReadOnly(config, streams)
  try {
    const all: StreamStatus[] = []
    for (const store of chooseStores(config, undefined)) {
      for (const declared of streams) {
        const stream = declared.name
        const rows = await database.ledger.windows(store, stream)
        const reached = watermarkOf(rows)
        all.push({
          store,
          stream,
          rows: await database.rows.count(store, stream),
          watermark: reached === undefined ? null : toIso(reached),
          unproven: rows.filter(row => row.status === 'unproven').length,
          deadLetters: await database.deadLetters.count(store, declared, {}),
          findings: (await database.findings.of(store, stream)).length,
          lastReadAt: (await database.ledger.lastReadAt(store, stream)) ?? null,
        })
      }
    }
    const due = await readDue(database.db, Date.now())
    terminal.print(
      terminal.json
        ? JSON.stringify({ database: config.database, streams: all, due })
        : [describe(all), ...(due.length === 0 ? [] : [describeDue(due)])].join('\n\n'),
    )
    return all.some(({ unproven, deadLetters }) => unproven > 0 || deadLetters > 0) ||
      due.some(({ overdue }) => overdue)
      ? 3
      : 0
  } finally {
    await database.close()
  }
}

const minutes = (iso: string | null): string => iso?.slice(0, 16).replace('T', ' ') ?? 'never'

const describe = (all: readonly StreamStatus[]): string =>
  formatTable(
    [
      'store',
      'stream',
      'rows',
      'proven until (UTC)',
      'unproven',
      'rejected',
      'findings',
      'last read (UTC)',
    ],
    all.map(({ store, stream, rows, watermark, unproven, deadLetters, findings, lastReadAt }) => [
      store,
      stream,
      rows,
      minutes(watermark),
      unproven,
      deadLetters,
      findings,
      minutes(lastReadAt),
    ]),
  )

const describeDue = (due: readonly DueLine[]): string =>
  formatTable(
    ['schedule', 'day', 'due (UTC)', 'ready by (UTC)', 'stands', 'why'],
    due.map(({ schedule, day, dueAt, deadlineAt, standing, detail }) => [
      schedule,
      day,
      minutes(dueAt),
      deadlineAt === null ? '' : minutes(deadlineAt),
      standing,
      detail.slice(0, 60),
    ]),
  )

export const command = declareCommand({ run: status })
