import { readFileSync } from 'node:fs'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import type { Manifest } from '../../exports/revisions/manifest.ts'

export function manifestAt(path: string): Manifest {
  const manifest = parseManifest(readFileSync(path, 'utf8'))
  if (manifest === undefined) throw new Error('not a manifest')
  return manifest
}

export const readJsonl = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown>)
