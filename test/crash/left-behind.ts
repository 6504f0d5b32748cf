import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { expect } from 'vitest'
import type { Scene } from './scene.ts'

/**
 * What a user finds after the last run: rows of every table, the ledger, dead letters, counters,
 * and the bytes of every export.
 */
export type LeftBehind = Readonly<Record<string, readonly unknown[]>>

/**
 * Everything but times, the number of attempts, and findings, which tell what a run has met: a
 * disturbed one meets more.
 */
export async function gather(scene: Scene): Promise<LeftBehind> {
  const exported = await scene.export()
  // Some records are dead letters; an export says that they are in no file.
  expect(exported.status, exported.stderr).toBe(3)
  expect(exported.stderr).not.toContain('NOT_PROVEN')
  const { files, manifest } = JSON.parse(exported.stdout) as {
    files: { path: string; sha256: string }[]
    manifest: string
  }
  const { project } = scene
  const hashes = [...files.map(({ path }) => path), manifest].map(path => [
    basename(path),
    createHash('sha256').update(project.read(path)).digest('hex'),
  ])
  return {
    ...project.tables(),
    ...project.queries({
      // How many rows came along from neighbouring days depends on what was known of the calendar
      // by then; those of the window itself are in the tables.
      evidence: "SELECT stream, window_start, evidence ->> 'by' FROM windows ORDER BY 1, 2",
      counters: `
        SELECT stream, sum(${count('inserted')}), sum(${count('updated')}) FROM readings
        GROUP BY 1 ORDER BY 1`,
      // INV-3, for every reading that was committed.
      unbalanced: `
        SELECT stream, counts FROM readings
        WHERE ${count('fetched')} <>
          ${['inserted', 'updated', 'unchanged', 'duplicate', 'deadLettered'].map(count).join(' + ')}`,
    }),
    integrity: scene.setting === 'SQLite' ? project.query('PRAGMA integrity_check') : [],
    exports: hashes,
  }
}

/** A number of a reading; `->>` answers a text on PostgreSQL. */
const count = (name: string): string => `CAST(counts ->> '${name}' AS INTEGER)`

/** The names of what is not the same, with how many entries differ. */
export function differences(expected: LeftBehind, found: LeftBehind): string[] {
  return Object.keys(expected).flatMap(name => {
    const [before, after] = [expected[name]!, found[name] ?? []].map(rows =>
      rows.map(row => JSON.stringify(row)),
    )
    const changed =
      before!.filter((row, index) => row !== after![index]).length +
      Math.max(0, after!.length - before!.length)
    if (changed === 0) return []
    const first = expected[name]!.find((_, index) => before![index] !== after![index])
    const example = String(Array.isArray(first) ? first.slice(0, 2) : first)
    return [`${name} (${changed} of ${before!.length}, such as ${example})`]
  })
}
