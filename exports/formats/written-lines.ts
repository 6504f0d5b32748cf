import type { Hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fitDecimal, plainDecimal } from '../decimal.ts'
import type { ScannedColumn } from '../scan.ts'

/** What Parquet is made of: files with a JSON array a line, one to be read after the other. */
export interface WrittenLines {
  paths: readonly string[]
  /** Of the largest file. */
  bytes: number
}

/**
 * Rows that were written as JSON arrays, a line each, on their way to Parquet: decimals that their
 * type does not hold are fitted, with their exact digits in the last cell.
 */
export function* writtenLines(
  paths: readonly string[],
  columns: readonly ScannedColumn[],
): Generator<string, undefined> {
  const beyond = columns.flatMap(({ name, beyondType, places }, index) =>
    beyondType > 0 ? [{ name, index, places: places! }] : [],
  )
  for (const path of paths)
    for (const line of linesIn(path)) yield beyond.length === 0 ? line : fitLine(line, beyond)
}

/** Hashes them as those that are handed over are: each with a line feed before it, none after. */
export function hashLines(paths: readonly string[], hash: Hash): void {
  for (const path of paths) hashLinesOf(path, hash)
}

function hashLinesOf(path: string, hash: Hash): void {
  const file = openSync(path, 'r')
  try {
    const block = Buffer.allocUnsafe(BLOCK)
    let left = fstatSync(file).size - 1
    if (left > 0) hash.update('\n')
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) {
      hash.update(block.subarray(0, Math.min(read, left)))
      left -= read
    }
  } finally {
    closeSync(file)
  }
}

const BLOCK = 1 << 20
const LINE_FEED = 10

/** The lines of a file, memory of a megabyte and the longest line. */
function* linesIn(path: string): Generator<string, undefined> {
  const file = openSync(path, 'r')
  try {
    let rest = Buffer.alloc(0)
    const block = Buffer.allocUnsafe(BLOCK)
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) {
      const bytes = Buffer.concat([rest, block.subarray(0, read)])
      const end = bytes.lastIndexOf(LINE_FEED) + 1
      if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n')
      rest = bytes.subarray(end)
    }
  } finally {
    closeSync(file)
  }
}

interface BeyondColumn {
  name: string
  index: number
  places: number
}

function fitLine(line: string, beyond: readonly BeyondColumn[]): string {
  const cells = JSON.parse(line) as (string | number | null)[]
  const exact: Record<string, string> = {}
  for (const { name, index, places } of beyond) {
    const cell = cells[index]
    if (typeof cell !== 'string') continue
    const fitted = fitDecimal(cell, places)!
    cells[index] = fitted.text
    if (!fitted.exact) exact[name] = plainDecimal(cell)!
  }
  if (Object.keys(exact).length > 0) cells[cells.length - 1] = JSON.stringify(exact)
  return JSON.stringify(cells)
}
