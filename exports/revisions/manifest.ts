import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { addDays } from '../../calendar/days.ts'
import type { GivenFile } from '../../connectors/destination/given-out.ts'
import { TillageError } from '../../errors.ts'
import { sha256Of } from '../../sha256.ts'
import { FILE_FORMATS } from '../formats/formats.ts'

/**
 * What a published file may be: a dataset in one of its formats, or a journal as its importer wants
 * it, or as a page.
 */
export const PUBLISHED_FORMATS = [...FILE_FORMATS, 'iif', 'html'] as const
export type PublishedFormat = (typeof PUBLISHED_FORMATS)[number]

/** Raised when a column of a dataset, or its type, is another. */
export const SCHEMA_VERSION = 3

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const revision = z.int().min(0)
/** A name inside the manifest's own folder, so that a manifest cannot point at anything else. */
const fileName = z.string().regex(/^[^./\\][^/\\]*$/)

const manifestShape = z.object({
  manifest: z.literal(2),
  /** Which columns and types files have. */
  schema: z.int().optional(),
  tool: z.string(),
  writer: z.string(),
  store: z.string(),
  days: z.object({ from: z.string(), to: z.string() }),
  range: z.object({ start: z.string(), end: z.string() }),
  /** Of its amounts. */
  currency: z.string().optional(),
  /** The business days of the books, and until when later edits of their transactions are known. */
  books: z
    .object({
      timeZone: z.string(),
      dayStartsAt: z.string(),
      start: z.string(),
      end: z.string(),
      editsKnownUntil: z.string(),
      /** Days up to this one were closed: what changed of them is dated later. */
      closedThrough: z.string().optional(),
    })
    .optional(),
  /** Of the newest state in it. */
  revision,
  /** 1 is the manifest that began its revision; what joined that later has one of its own. */
  addition: z.int().min(1).default(1),
  /** Which state of each stream's data it shows: its number, and a hash of its rows. */
  states: z.array(z.object({ stream: z.string(), revision, state: z.string() })).default([]),
  people: z.boolean(),
  datasets: z.array(
    z.object({
      dataset: z.string(),
      stream: z.string(),
      /**
       * `business_day`: rows that ended on these store days; `range`: rows whose cursor lies in the
       * range; `whole`: all rows of the store.
       */
      rowsOf: z.enum(['business_day', 'range', 'full-refresh']),
      rows: z.int(),
      order: z.array(z.string()),
      columns: z.array(
        z.object({ name: z.string(), kind: z.string(), type: z.string().nullable() }),
      ),
      masked: z.array(z.string()),
      sums: z.record(z.string(), z.string()),
    }),
  ),
  files: z.array(
    z.object({
      path: fileName,
      dataset: z.string(),
      format: z.enum(PUBLISHED_FORMATS),
      rows: z.int(),
      bytes: z.int(),
      sha256,
      /** The revision that wrote it; that one's manifest holds its proof. */
      revision,
      /** Parquet only: what wrote the bytes, and a hash of the rows that does not depend on it. */
      writer: z.string().optional(),
      content: sha256.optional(),
    }),
  ),
  proof: z.unknown(),
  previous: z.object({ path: fileName, sha256 }).nullable(),
})

/**
 * The table of contents of one store and range, as of one revision. Made from data alone, without
 * any clock.
 */
export type Manifest = z.infer<typeof manifestShape>
export type StreamState = Manifest['states'][number]
export type ManifestDataset = Manifest['datasets'][number]
export type ManifestFile = Manifest['files'][number]

/**
 * `2026-03-08` for one day, `2026-03-01_2026-04-01` for a longer range, the second day exclusive as
 * everywhere.
 */
export function spanOf(days: { from: string; to: string }): string {
  return addDays(days.from, 1) === days.to ? days.from : `${days.from}_${days.to}`
}

export interface FileNumber {
  revision: number
  /** More than 1 where a file of that number was given out before: it is not written over. */
  addition: number
}

export function exportName(
  dataset: string,
  range: Pick<Manifest, 'store' | 'days'>,
  { revision, addition }: FileNumber,
  extension: string,
): string {
  const number = addition === 1 ? `r${revision}` : `r${revision}-${addition}`
  return `${dataset}_${range.store}_${spanOf(range.days)}_${number}.${extension}`
}

/** Which of a number a file is: `..._r0-2.csv` is the second. */
export const additionOf = (path: string): number => Number(/_r\d+-(\d+)\./.exec(path)?.[1] ?? 1)

const MANIFEST_NUMBER = /^r(\d+)(?:-(\d+))?\.json$/

/** The manifests of a range in a folder, oldest first. */
function manifestNames(folder: string, range: Pick<Manifest, 'store' | 'days'>): string[] {
  const prefix = `manifest_${range.store}_${spanOf(range.days)}_`
  return (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap(name => {
      const number = name.startsWith(prefix)
        ? MANIFEST_NUMBER.exec(name.slice(prefix.length))
        : null
      return number === null ? [] : [{ name, place: [Number(number[1]), Number(number[2] ?? 1)] }]
    })
    .sort((a, b) => a.place[0]! - b.place[0]! || a.place[1]! - b.place[1]!)
    .map(({ name }) => name)
}

/** The folder of a range: `{store}/{day}` below the exports. */
export function folderOf(out: string, range: Pick<Manifest, 'store' | 'days'>): string {
  return join(out, range.store, spanOf(range.days))
}

/** Every manifest of a range in a folder, oldest first. */
export function manifestsIn(
  folder: string,
  range: Pick<Manifest, 'store' | 'days'>,
): StoredManifest[] {
  return manifestNames(folder, range).map(name => readStored(folder, name, range))
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export interface StoredManifest {
  folder: string
  name: string
  sha256: string
  manifest: Manifest
}

/** What it lists, as it is remembered. */
export function filesOf({
  folder,
  manifest,
}: Pick<StoredManifest, 'folder' | 'manifest'>): GivenFile[] {
  const { store, days, files } = manifest
  return files.map(({ path, dataset, format, revision, rows, sha256 }) => ({
    store,
    ...days,
    dataset,
    format,
    revision,
    addition: additionOf(path),
    rows,
    sha256,
    path: resolve(folder, path),
  }))
}

/** `undefined` if the text is no manifest of ours. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    return manifestShape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The newest manifest of a range, if there is one. */
export function newestManifest(
  out: string,
  range: Pick<Manifest, 'store' | 'days'>,
): StoredManifest | undefined {
  const folder = folderOf(out, range)
  const name = manifestNames(folder, range).at(-1)
  return name === undefined ? undefined : readStored(folder, name, range)
}

function readStored(
  folder: string,
  name: string,
  { store, days }: Pick<Manifest, 'store' | 'days'>,
): StoredManifest {
  const bytes = readFileSync(join(folder, name))
  const manifest = parseManifest(bytes.toString('utf8'))
  if (
    manifest?.store !== store ||
    manifest.days.from !== days.from ||
    manifest.days.to !== days.to
  ) {
    throw new TillageError(
      'EVIDENCE_CHANGED',
      `${join(folder, name)} is not the manifest that its name promises`,
      { remedy: 'move it away, or restore it from a backup' },
    )
  }
  return {
    folder,
    name,
    sha256: sha256Of(bytes),
    manifest,
  }
}
