import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { reviveError } from '../../../errors.ts'
import type { SentError } from '../../../errors.ts'
import type { QuestionTables, StoredColumn } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { STORED, storedView } from '../schema/stream-views.ts'

/** What the thread is asked: one statement with its parameters. */
export interface Asked {
  text: string
  values: readonly unknown[]
}

/** What it answers: rows, or an error of ours. */
export interface Answer {
  rows?: (string | null)[][]
  failed?: SentError
}

export interface QuestionTask {
  address: string
  port: MessagePort
  /** 1 once the answer lies at the port. */
  shared: Int32Array
}

const ROWS_AT_ONCE = 2048

/**
 * One state of the database for questions in SQL. Who answers them takes rows at once and waits for
 * no promise, and the driver knows nothing but promises: so another thread has the connection, and
 * this one stands still until it has answered.
 */
export async function openQuestionTables(address: string): Promise<QuestionTables> {
  const { port1: port, port2 } = new MessageChannel()
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const thread = startThread({ address, port: port2, shared })
  const ask = (text: string, values: readonly unknown[] = []): (string | null)[][] => {
    Atomics.store(shared, 0, 0)
    port.postMessage({ text, values } satisfies Asked)
    Atomics.wait(shared, 0, 0)
    return rowsOf(receiveMessageOnPort(port)!.message as Answer)
  }
  let opened = 0
  function* rowsAt(select: string, values: readonly unknown[]): Generator<(string | null)[]> {
    const name = `rows_${++opened}`
    ask(`DECLARE ${name} NO SCROLL CURSOR FOR ${select}`, values)
    for (;;) {
      const rows = ask(`FETCH ${ROWS_AT_ONCE} FROM ${name}`)
      yield* rows
      if (rows.length < ROWS_AT_ONCE) break
    }
    ask(`CLOSE ${name}`)
  }
  return {
    views: () => ask(VIEWS, [`${STORED}%`]).map(([name]) => name!),
    texts(view, columns, only) {
      const where = only === undefined ? '' : 'WHERE r.store_id = $1'
      const cells = columns.map(textSql).join(', ') || 'NULL'
      const select = `SELECT ${cells} FROM ${quoteName(storedView(view))} r ${where}`
      return rowsAt(select, only === undefined ? [] : [only])
    },
    close: () => void thread.terminate(),
  }
}

const VIEWS = `
  SELECT viewname FROM pg_views
  WHERE schemaname = current_schema() AND viewname NOT LIKE $1`

function startThread(workerData: QuestionTask): Worker {
  const here = import.meta.url
  const file = `./question-thread${here.endsWith('.ts') ? '.ts' : '.js'}`
  const transferList = [workerData.port]
  return new Worker(new URL(file, here), { workerData, transferList, name: 'tillage-question' })
}

function rowsOf({ rows, failed }: Answer): (string | null)[][] {
  if (failed !== undefined) throw reviveError(failed)
  return rows ?? []
}

const textSql = (column: StoredColumn | undefined): string =>
  column === undefined ? 'NULL' : `r.${quoteName(column.name)}::text`
