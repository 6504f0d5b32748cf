/** Rows from one connection to another, in COPY's own format: nobody here looks into them. */
import type { ClientBase, Connection } from 'pg'
import type { InOrder } from '../connection/in-order.ts'
import { copyInto } from '../window/copy-rows.ts'

/** Of some megabytes: so much of a table is in memory at a time. */
const BLOCKS_AT_ONCE = 512

interface CopiedTable {
  from: string
  into: string
  /** Quoted names. */
  columns: string
}

/** In the order in which they lie there; the columns have the same types on both sides. */
export async function copyAcross(
  source: InOrder,
  target: ClientBase,
  { from, into, columns }: CopiedTable,
): Promise<void> {
  const blocks = await blocksOf(source, from)
  for (let first = 0; first < blocks; first += BLOCKS_AT_ONCE) {
    const end = first + BLOCKS_AT_ONCE
    const select = `SELECT ${columns} FROM ${from}
      WHERE ctid >= '(${first},0)' AND ctid < '(${end},0)'`
    const rows = await source(client => copyOut(client, select))
    await copyInto(target, `${into} (${columns})`, rows)
  }
}

async function blocksOf(source: InOrder, table: string): Promise<number> {
  const { rows } = await source(client =>
    client.query<{ blocks: number }>(
      `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks`,
      [table],
    ),
  )
  return rows[0]!.blocks
}

/** The rows of a query as COPY writes them, and takes them. */
function copyOut(client: ClientBase, select: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  client.query(new CopyOutQuery(select, (rows, error) => (error ? reject(error) : resolve(rows))))
  return promise
}

/** What the client asks of a query (`Submittable`), and of one that is answered in pieces. */
class CopyOutQuery {
  readonly #select: string
  readonly #done: (rows: Buffer, error?: Error) => void
  readonly #pieces: Buffer[] = []

  constructor(select: string, done: (rows: Buffer, error?: Error) => void) {
    this.#select = select
    this.#done = done
  }

  submit(connection: Connection): void {
    connection.query(`COPY (${this.#select}) TO STDOUT (FORMAT binary)`)
  }

  /** The bytes are there until the next ones come. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#pieces.push(Buffer.from(chunk))
  }

  handleError(error: Error): void {
    this.#done(Buffer.alloc(0), error)
  }

  handleReadyForQuery(): void {
    this.#done(Buffer.concat(this.#pieces))
  }

  handleCommandComplete(): void {}
}
