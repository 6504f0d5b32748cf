import { readFileSync } from 'node:fs'

/**
 * The package's version; package.json is beside it in the clone,
 * one folder up in an installed package.
 */
export const VERSION: string = readVersion(['./package.json', '../package.json'])

function readVersion(places: readonly string[]): string {
  for (const place of places) {
    try {
      return (
        JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }
      ).version
    } catch {
      // Not here; the other place.
    }
  }
  return 'unknown'
}
