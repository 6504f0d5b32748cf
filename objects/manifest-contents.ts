import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Below the manifest's own folder. */
const inside = z.string().regex(/^(?!.*\.\.)[^./\\][^\\]*$/)

/** What manifests have in common, those of exports and of audits. */
const contentsShape = z.object({
  files: z.array(
    z.object({
      path: inside,
      bytes: z.int(),
      sha256: z.string(),
      dataset: z.string().optional(),
    }),
  ),
  /** Of an audit: what people have written into since the manifest before. */
  changed: z.array(z.object({ path: inside, from: z.string() })).default([]),
  previous: z.object({ path: inside }).nullable(),
})

export type ManifestContents = z.infer<typeof contentsShape>
export type NamedFile = ManifestContents['files'][number]

/** Fails where it is no manifest. */
export const readContents = (path: string): ManifestContents =>
  contentsShape.parse(JSON.parse(readFileSync(path, 'utf8')))

/** Undefined where it is no manifest. */
export function tryContents(path: string): ManifestContents | undefined {
  try {
    return readContents(path)
  } catch {
    return undefined
  }
}

/** Of what names nothing where it is no manifest: whoever reads it says so. */
export const contentsOf = (path: string): ManifestContents =>
  tryContents(path) ?? { files: [], changed: [], previous: null }
