import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { addDays } from '../calendar/days.ts'
import { DatabaseError } from '../errors.ts'

export const FILE_FORMATS = ['parquet', 'csv', 'jsonl', 'xlsx'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]
/**
 * What a published file may be: a dataset in one of its formats, or a journal as its importer wants
 * it.
 */
export const PUBLISHED_FORMATS = [...FILE_FORMATS, 'iif'] as const
export type PublishedFormat = (typeof PUBLISHED_FORMATS)[number]

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const revision = z.int().min(0)
/** A name inside the manifest's own folder, so that a manifest cannot point at anything else. */
const fileName = z.string().regex(/^[^./\\][^/\\]*$/)

const manifestShape = z.object({
  manifest: z.literal(1),
  tool: z.string(),
  writer: z.string(),
  store: z.string(),
  days: z.object({ from: z.string(), to: z.string() }),
  range: z.object({ start: z.string(), end: z.string() }),
  /** The business days of the books, and until when later edits of their transactions are known. */
  books: z
    .object({
      timeZone: z.string(),
      dayStartsAt: z.string(),
      start: z.string(),
      end: z.string(),
      editsKnownUntil: z.string(),
    })
    .optional(),
  revision,
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
export type ManifestDataset = Manifest['datasets'][number]
export type ManifestFile = Manifest['files'][number]

/**
 * `2026-03-08` for one day, `2026-03-01_2026-04-01` for a longer range, the second day exclusive as
 * everywhere.
 */
export function spanOf(days: { from: string; to: string }): string {
  return addDays(days.from, 1) === days.to ? days.from : `${days.from}_${days.to}`
}

export function exportName(
  dataset: string,
  store: string,
  span: string,
  revision: number,
  extension: string,
): string {
  return `${dataset}_${store}_${span}_r${revision}.${extension}`
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export interface StoredManifest {
  name: string
  sha256: string
  manifest: Manifest
}

/** `undefined` if the text is no manifest of ours. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    return manifestShape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The newest revision of a range in a folder, if there is one. */
export function newestManifest(
  out: string,
  store: string,
  days: Manifest['days'],
): StoredManifest | undefined {
  const prefix = exportName('manifest', store, spanOf(days), 0, 'json').slice(0, -'0.json'.length)
  const revisions = readdirSync(out)
    .filter(name => name.startsWith(prefix) && /^\d+\.json$/.test(name.slice(prefix.length)))
    .map(name => Number(name.slice(prefix.length, -'.json'.length)))
  if (revisions.length === 0) return undefined
  const name = `${prefix}${Math.max(...revisions)}.json`
  const bytes = readFileSync(join(out, name))
  const manifest = parseManifest(bytes.toString('utf8'))
  if (
    manifest?.store !== store ||
    manifest.days.from !== days.from ||
    manifest.days.to !== days.to
  ) {
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `${join(out, name)} is not the manifest that its name promises`,
      { remedy: 'move it away, or restore it from a backup' },
    )
  }
  return { name, sha256: createHash('sha256').update(bytes).digest('hex'), manifest }
}
