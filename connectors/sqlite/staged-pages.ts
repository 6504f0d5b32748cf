import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import type { PageToStage } from '../destination/windows.ts'
import type { Examined } from '../record.ts'

/** A page as it was staged. */
export interface StagedPage {
  body: Buffer
  listPath: string
  /** Rows in the list, by the reader's count. */
  rows: number
  examined: Examined | undefined
}

/**
 * Pages wait in a file beside the database, one for each reading, so that memory stays flat. The
 * file is its owner's alone and has no name from the first moment on: the system frees it with the
 * process, however that ends. What a reading may bring is bounded by `limits` of its store.
 */
export interface StagedPages {
  stage(page: PageToStage): void
  discard(reading: string): void
  /** In the order in which they arrived. */
  numbers(reading: string): number[]
  /** Its body is there until the next page is asked for. */
  page(reading: string, page: number): StagedPage
}

/** Where the body of a page lies in its reading's file, and what is known of the page. */
type Placed = Omit<StagedPage, 'body'> & { at: number; bytes: number }

interface StagedReading {
  file: number
  bytes: number
  pages: Map<number, Placed>
}

export function createStagedPages(database: Database.Database): StagedPages {
  const beside = database.memory ? join(tmpdir(), 'tillage') : database.name
  const readings = new Map<string, StagedReading>()
  let scratch = Buffer.alloc(0)
  removeLeftOver(beside)
  const begin = (reading: string): StagedReading => {
    const begun = { file: openNameless(beside), bytes: 0, pages: new Map<number, Placed>() }
    readings.set(reading, begun)
    return begun
  }
  return {
    stage({ reading, page, body, ...known }) {
      const staged = readings.get(reading) ?? begin(reading)
      writeWhole(staged.file, body, staged.bytes)
      const { listPath, rows, examined } = known
      staged.pages.set(page, { listPath, rows, examined, at: staged.bytes, bytes: body.byteLength })
      staged.bytes += body.byteLength
    },
    discard(reading) {
      const staged = readings.get(reading)
      if (staged !== undefined) closeSync(staged.file)
      readings.delete(reading)
    },
    numbers: reading => [...(readings.get(reading)?.pages.keys() ?? [])].sort((a, b) => a - b),
    page(reading, page) {
      const { file, pages } = readings.get(reading)!
      const { at, bytes, ...known } = pages.get(page)!
      if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
      const body = scratch.subarray(0, bytes)
      readWhole(file, body, at)
      return { ...known, body }
    },
  }
}

const STAGED = '.staged-'

/** Of a process that was killed between the two steps of `openNameless`. */
function removeLeftOver(beside: string): void {
  const folder = dirname(beside)
  const prefix = `${basename(beside)}${STAGED}`
  for (const name of readdirSync(folder))
    if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true })
}

function openNameless(beside: string): number {
  const path = `${beside}${STAGED}${randomUUID()}`
  const file = openSync(path, 'wx+', 0o600)
  rmSync(path, { force: true })
  return file
}

/** A call may write less than it was given. */
function writeWhole(file: number, body: Uint8Array, at: number): void {
  for (let done = 0; done < body.byteLength;)
    done += writeSync(file, body, done, body.byteLength - done, at + done)
}

function readWhole(file: number, body: Buffer, at: number): void {
  for (let done = 0; done < body.length;) {
    const read = readSync(file, body, done, body.length - done, at + done)
    if (read === 0) throw new Error(`a staged page ends ${body.length - done} bytes early`)
    done += read
  }
}
