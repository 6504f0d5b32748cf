import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../disk.ts'
import { sha256Of } from '../../sha256.ts'
import { parseManifest } from './manifest.ts'
import type { Manifest, ManifestFile } from './manifest.ts'
import { hashOpenFile } from './publish.ts'

export interface VerifyProblem {
  path: string
  problem:
    | 'missing'
    | 'not a manifest'
    | 'another size'
    | 'another content'
    | 'another total'
    | 'does not follow'
  detail: string
}

export interface VerifyReport {
  manifest: string
  store: string | undefined
  revision: number | undefined
  filesChecked: number
  /** Manifests back to the first revision, whose hashes were followed. */
  chain: string[]
  /** The manifest that followed it: what it lists is no longer the newest. */
  followedBy: string | undefined
  problems: VerifyProblem[]
}

/**
 * Checks that a manifest's files are there byte by byte, that it follows its predecessors unbroken,
 * and that it is the one which its successor followed (INV-9).
 */
export function verifyManifest(path: string): VerifyReport {
  const folder = dirname(path)
  const report: VerifyReport = {
    manifest: path,
    store: undefined,
    revision: undefined,
    filesChecked: 0,
    chain: [],
    followedBy: undefined,
    problems: [],
  }
  const manifest = readManifest(path, undefined, report)
  if (manifest === undefined) return report
  report.store = manifest.store
  report.revision = manifest.revision
  for (const file of manifest.files) {
    report.filesChecked++
    const problem = checkFile(join(folder, file.path), file)
    if (problem !== undefined) report.problems.push(problem)
  }
  followChain(folder, path, manifest, report)
  compareWithSuccessor(folder, path, report)
  return report
}

/** A later manifest beside it says what this one was when it was followed. */
function compareWithSuccessor(folder: string, path: string, report: VerifyReport): void {
  const name = basename(path)
  const span = name.replace(/_r\d+(-\d+)?\.json$/, '_r')
  for (const other of readdirSync(folder)) {
    if (!other.startsWith(span) || !other.endsWith('.json')) continue
    const previous = parseManifest(readFileSync(join(folder, other), 'utf8'))?.previous
    if (previous?.path !== name) continue
    report.followedBy = join(folder, other)
    readManifest(path, previous.sha256, report)
    return
  }
}

function checkFile(path: string, file: ManifestFile): VerifyProblem | undefined {
  let opened: number
  try {
    opened = openSync(path, 'r')
  } catch (error) {
    return { path, problem: 'missing', detail: codeOf(error) }
  }
  try {
    const { bytes, sha256 } = hashOpenFile(opened)
    if (bytes !== file.bytes)
      return {
        path,
        problem: 'another size',
        detail: `${bytes} bytes, the manifest says ${file.bytes}`,
      }
    return sha256 === file.sha256
      ? undefined
      : {
          path,
          problem: 'another content',
          detail: `sha256 ${sha256}, the manifest says ${file.sha256}`,
        }
  } catch (error) {
    return { path, problem: 'missing', detail: codeOf(error) }
  } finally {
    closeSync(opened)
  }
}

/** Each names its predecessor and that one's hash; numbers never go down. */
function followChain(folder: string, path: string, first: Manifest, report: VerifyReport): void {
  let newer = { path, manifest: first }
  while (newer.manifest.previous !== null) {
    const { path: name, sha256 } = newer.manifest.previous
    const older = readManifest(join(folder, name), sha256, report)
    if (older === undefined) return
    report.chain.push(join(folder, name))
    if (!follows(older, newer.manifest)) {
      report.problems.push({
        path: newer.path,
        problem: 'does not follow',
        detail:
          `revision ${newer.manifest.revision} ` +
          `names revision ${older.revision} of ${older.store} as its predecessor`,
      })
      return
    }
    newer = { path: join(folder, name), manifest: older }
  }
}

function follows(older: Manifest, newer: Manifest): boolean {
  const isNext =
    older.revision < newer.revision ||
    (older.revision === newer.revision && older.addition < newer.addition)
  return (
    isNext &&
    older.store === newer.store &&
    older.days.from === newer.days.from &&
    older.days.to === newer.days.to
  )
}

export function readManifest(
  path: string,
  sha256: string | undefined,
  report: VerifyReport,
): Manifest | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    report.problems.push({ path, problem: 'missing', detail: codeOf(error) })
    return undefined
  }
  const found = sha256Of(bytes)
  if (sha256 !== undefined && found !== sha256) {
    report.problems.push({
      path,
      problem: 'another content',
      detail: `sha256 ${found}, its successor says ${sha256}`,
    })
    return undefined
  }
  const manifest = parseManifest(bytes.toString('utf8'))
  if (manifest === undefined)
    report.problems.push({
      path,
      problem: 'not a manifest',
      detail: 'its shape is not that of a Tillage manifest',
    })
  return manifest
}
