import { closeSync, openSync } from 'node:fs'
import { writeWhole } from './write-whole.ts'
import type { WrittenLines } from './written-lines.ts'

/** Lines on their way into files. */
export interface LinesFile {
  written: WrittenLines
  add: (lines: Uint8Array, rows: number) => void
  close: () => void
}

/**
 * Rows of a file: a multiple of the 2,048 that DuckDB hands on at once, so that files are read as
 * if they were one, and few, since it holds what it reads of a file in memory.
 */
const ROWS_A_FILE = 4096
const LINE_FEED = 10

/** Writes lines to files whose names begin like this, each for DuckDB to read at once. */
export function openLines(path: string): LinesFile {
  const written = { paths: [] as string[], bytes: 0 }
  let file: number | undefined
  let left = 0
  let bytes = 0
  const close = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const openNext = (): void => {
    close()
    const next = `${path}.${written.paths.length}.lines`
    file = openSync(next, 'w')
    written.paths.push(next)
    left = ROWS_A_FILE
    bytes = 0
  }
  const write = (lines: Uint8Array, rows: number): void => {
    writeWhole(file!, lines)
    left -= rows
    bytes += lines.length
    written.bytes = Math.max(written.bytes, bytes)
  }
  openNext()
  return {
    written,
    add(lines, rows) {
      let [rest, more] = [lines, rows]
      while (more > left) {
        const end = endOfLine(rest, left)
        more -= left
        write(rest.subarray(0, end), left)
        rest = rest.subarray(end)
        openNext()
      }
      write(rest, more)
    },
    close,
  }
}

/** Where so many lines end. */
function endOfLine(lines: Uint8Array, count: number): number {
  let end = 0
  for (let line = 0; line < count; line++) end = lines.indexOf(LINE_FEED, end) + 1
  return end
}
