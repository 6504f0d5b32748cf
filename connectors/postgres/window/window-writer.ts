import type { ClientBase } from 'pg'
import type { DeadLetters } from '../../destination/dead-letters.ts'
import type { CommittedWindow, WindowWriter } from '../../destination/windows.ts'
import { runSteps } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import type { MergeDialect } from '../../sql/window/merge-statements.ts'
import { createWindowWork } from '../../sql/window/window-work.ts'
import type { WindowWork } from '../../sql/window/window-work.ts'
import { createPageFiles } from '../../staged/files-beside.ts'
import type { StagedWindow } from '../../staged/files-beside.ts'
import type { PageRows } from '../../staged/stage-records.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { IN_TURN } from '../connection/in-turn.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { stageRecords } from './staged-records.ts'

/**
 * Of a table that has just been filled, and of a batch that no statistics know, the planner assumes
 * a row or two, and would go through all rows of a store for each window. OFFSET 0 keeps it from
 * taking the look-up apart.
 */
const rowOf = (rows: string, id: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${rows} WHERE store_id = @store AND id = ${id} OFFSET 0) r`

/** A row that is there is updated by itself: an insert that finds it would mark it as touched. */
const DIALECT: MergeDialect = {
  insert: 'INSERT INTO',
  join: 'JOIN',
  rowOf,
  unguessed: condition => `CASE WHEN ${condition} THEN TRUE ELSE FALSE END`,
  update: ({ rows, columns, page, givesWay }) => `
    UPDATE ${rows} SET
      batch = @batch, gone_at = NULL,
      ${columns.map(([name, value]) => `${name} = ${value}`).join(', ')}
    FROM (
      SELECT r.rid AS of_row, s.* FROM ${page.from} ${rowOf(rows, page.id)}
      WHERE ${page.where} AND ${givesWay('r', page.cursor, page.raw)} OFFSET 0) s
    WHERE ${rows}.rid = s.of_row`,
}

export interface PostgresWindows extends Pick<DeadLetters, 'replay' | 'discard'> {
  windows: WindowWriter
  /** Frees the pages that wait. */
  close(): void
}

/**
 * Pages wait on this machine, in a file that goes with the process. A window is one transaction:
 * its records are sent first, while others commit, and merged in their turn, so that the numbers of
 * readings are in the order of their commits, and no two windows wait for each other's rows.
 */
export function createWindows(
  connections: Connections,
  streams: readonly Stream[],
  folder: string,
): PostgresWindows {
  const work = createWindowWork(streams, DIALECT)
  const files = createPageFiles(folder)
  return {
    windows: {
      stage: async page => files.stage(page),
      discard: async reading => files.discard(reading),
      async commit(window) {
        const lent = files.lend(window.reading)
        try {
          const staged = { ...window, pages: lent.pages }
          const committed = await untilUnchanged(connections, client =>
            commit(client, work, staged),
          )
          files.discard(window.reading)
          return committed
        } finally {
          lent.giveBack()
        }
      },
    },
    replay: chosen =>
      untilUnchanged(connections, async client => {
        const letters = await runSteps(statementsOn(client), work.kept(chosen))
        const pages = work.pagesOfLetters(chosen.stream, letters)
        const staged = await stageRecords(client, work.streamOf(chosen.stream), pages)
        return inTurn(client, work.replay(chosen, letters, staged))
      }),
    discard: letters => inTransaction(connections, client => inTurn(client, work.discard(letters))),
    close: () => files.close(),
  }
}

async function commit(
  client: ClientBase,
  work: WindowWork,
  window: StagedWindow,
): Promise<CommittedWindow | undefined> {
  const people = await runSteps(statementsOn(client), work.people(window.store))
  const pages = work.pages(window, people)
  const staged = await stageRecords(client, work.streamOf(window.stream), pages)
  return inTurn(client, work.commit(window, together(staged), people))
}

async function inTurn<Answer>(client: ClientBase, steps: Steps<Answer>): Promise<Answer> {
  await client.query(IN_TURN)
  return runSteps(statementsOn(client), steps)
}

async function untilUnchanged<Answer>(
  connections: Connections,
  attempt: (client: ClientBase) => Promise<Answer | undefined>,
): Promise<Answer> {
  for (;;) {
    const answer = await inTransaction(connections, attempt)
    if (answer !== undefined) return answer
  }
}

/** All pages of a window as one: what is new in some of it costs nothing in the rest. */
function together(pages: readonly PageRows[]): PageRows[] {
  const [first, last] = [pages[0], pages.at(-1)]
  if (first === undefined || last === undefined) return []
  const sum = (of: (page: PageRows) => number): number =>
    pages.reduce((total, page) => total + of(page), 0)
  return [
    {
      first: first.first,
      last: last.last,
      lines: first.lines.map((list, at) => ({ first: list.first, last: last.lines[at]!.last })),
      records: sum(page => page.records),
      unfit: sum(page => page.unfit),
      duplicate: sum(page => page.duplicate),
      rows: sum(page => page.rows),
    },
  ]
}
