/**
 * Files beside the database, known by its path, that hold records for a while. They are their
 * owner's alone and have no name: the system frees them with the process, however that ends.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

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
