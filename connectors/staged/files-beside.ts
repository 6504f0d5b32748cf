/**
 * Files beside the database, known by its path, that hold records for a while. They are their
 * owner's alone and have no name: the system frees them with the process, however that ends.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { freeBytes } from '../cells.ts'
import type { AnswerText, UnfitRecord } from '../cells.ts'
import type { PageToStage, WindowToCommit } from '../destination/windows.ts'

const STAGED = '.staged-'

/** Of a process that was killed before it could take a file's name away. */
export function removeLeftOver(database: string): void {
  const folder = dirname(database)
  const prefix = `${basename(database)}${STAGED}`
  for (const name of readdirSync(folder))
    if (name.startsWith(prefix)) removeName(join(folder, name))
}

/** Answers the file's descriptor. `useName` is the only one who learns of its name. */
export function openNameless(
  database: string,
  useName: (path: string, file: number) => void = () => {},
): number {
  const path = `${database}${STAGED}${randomUUID()}`
  const file = openSync(path, 'wx+', 0o600)
  try {
    useName(path, file)
  } catch (error) {
    closeSync(file)
    throw error
  } finally {
    removeName(path)
  }
  return file
}

/** Windows does not where somebody has the file open: whoever starts next does it. */
function removeName(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    if (process.platform !== 'win32') throw error
  }
}

/** A call may write less than it was given. */
export function writeWhole(file: number, bytes: NodeJS.ArrayBufferView, at: number): void {
  for (let done = 0; done < bytes.byteLength;)
    done += writeSync(file, bytes, done, bytes.byteLength - done, at + done)
}

export function readWhole(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) {
    const read = readSync(file, bytes, done, bytes.length - done, at + done)
    if (read === 0) throw new Error(`a staged page ends ${bytes.length - done} bytes early`)
    done += read
  }
}

/**
 * Pages wait in such a file, one for each reading, so that memory stays flat. What a reading may
 * bring is bounded by `limits` of its store.
 *
 * Whoever has read a page writes it at once, so that none waits in memory for the thread that
 * commits (decision 128).
 */
export interface PageFiles {
  /** Its bytes are free afterwards. */
  stage(page: PageToStage): void
  discard(reading: string): void
  /** For whoever commits them. */
  lend(reading: string): LentPages
  close(): void
}

/** Where the pages of a reading lie: any thread of this process can read them there. */
export interface PagesInFile {
  file: number
  pages: ReadonlyMap<number, PlacedPage>
}

/** A window as the thread that commits it is told of it. */
export interface StagedWindow extends WindowToCommit {
  /** None where no page was staged. */
  pages: PagesInFile | undefined
}

export interface LentPages {
  pages: PagesInFile | undefined
  /**
   * Their file stays open until then, also where they are discarded meanwhile: its descriptor would
   * become another file's.
   */
  giveBack(): void
}

/** Where a page lies in its file, its cells behind its body, and what is known of it. */
export interface PlacedPage {
  /** Rows in the list, by the reader's count. */
  rows: number
  unfit: readonly UnfitRecord[]
  at: number
  bytes: number
  cells: number
}

interface FilledFile extends PagesInFile {
  bytes: number
  pages: Map<number, PlacedPage>
  borrowers: number
  isDiscarded: boolean
}

function closeUnused({ file, borrowers, isDiscarded }: FilledFile): void {
  if (isDiscarded && borrowers === 0) closeSync(file)
}

export function createPageFiles(database: string): PageFiles {
  const readings = new Map<string, FilledFile>()
  let isClean = false
  const begin = (reading: string): FilledFile => {
    if (!isClean) removeLeftOver(database)
    isClean = true
    const file = openNameless(database)
    const begun = { file, bytes: 0, pages: new Map(), borrowers: 0, isDiscarded: false }
    readings.set(reading, begun)
    return begun
  }
  const discard = (reading: string): void => {
    const staged = readings.get(reading)
    if (staged === undefined) return
    readings.delete(reading)
    staged.isDiscarded = true
    closeUnused(staged)
  }
  return {
    stage({ reading, page, body, rows, unfit }) {
      const staged = readings.get(reading) ?? begin(reading)
      const { json, cells } = body
      const at = staged.bytes
      for (const part of [json, cells]) {
        writeWhole(staged.file, part, staged.bytes)
        staged.bytes += part.byteLength
      }
      const lengths = { bytes: json.byteLength, cells: cells.byteLength }
      staged.pages.set(page, { rows, unfit, at, ...lengths })
      freeBytes(json)
      freeBytes(cells)
    },
    discard,
    lend(reading) {
      const staged = readings.get(reading)
      if (staged === undefined) return { pages: undefined, giveBack: () => {} }
      staged.borrowers++
      const giveBack = (): void => {
        staged.borrowers--
        closeUnused(staged)
      }
      return { pages: { file: staged.file, pages: staged.pages }, giveBack }
    },
    close: () => [...readings.keys()].forEach(discard),
  }
}

/** A page as it was staged. Its bytes are there until the next one is asked for. */
export interface StagedPage extends Pick<PlacedPage, 'rows' | 'unfit'> {
  number: number
  text: AnswerText
}

/** Reads pages where they wait for their window, in the order in which they arrived. */
export function* stagedPages(staged: PagesInFile | undefined): Generator<StagedPage> {
  if (staged === undefined) return
  const bodies = createScratch()
  const cellsOfPage = createScratch()
  for (const number of [...staged.pages.keys()].sort((a, b) => a - b)) {
    const { at, bytes, cells, ...known } = staged.pages.get(number)!
    const json = bodies(bytes)
    readWhole(staged.file, json, at)
    const numbers = cellsOfPage(cells)
    readWhole(staged.file, numbers, at + bytes)
    yield { ...known, number, text: { json, cells: new Int32Array(numbers.buffer, 0, cells / 4) } }
  }
}

/** Memory that one page after another uses. */
function createScratch(): (bytes: number) => Buffer {
  let scratch = Buffer.alloc(0)
  return bytes => {
    if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
    return scratch.subarray(0, bytes)
  }
}
