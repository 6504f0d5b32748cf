import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A package of a lock: where it stands, and what is known of it. */
interface Entry {
  version?: string
  integrity?: string
  dev?: true
}

interface Lock<Known extends Entry = Entry> {
  packages: Record<string, Known>
}

export interface Unseen {
  name: string
  version: string
  /** Only whoever works on Tillage installs it. */
  dev: boolean
}

const FOLDER = 'node_modules/'

/** Packages whose content nothing in the lock pins. */
export const findUnseen = ({ packages }: Lock): Unseen[] =>
  Object.entries(packages)
    .filter(([place, { integrity }]) => place !== '' && integrity === undefined)
    .map(([place, { version = '', dev = false }]) => {
      const name = place.slice(place.lastIndexOf(FOLDER) + FOLDER.length)
      return { name, version, dev }
    })

/**
 * What the registry says of packages that npm left without a checksum, by name; those that it does
 * not have are not in it. One resolution by npm itself, which passes over what is optional.
 */
export function askForChecksums(unseen: readonly Unseen[]): Map<string, string> {
  if (unseen.length === 0) return new Map()
  const folder = mkdtempSync(join(tmpdir(), 'tillage-lock-'))
  try {
    const optionalDependencies = Object.fromEntries(
      unseen.map(({ name, version }) => [name, version]),
    )
    const manifest = { private: true, optionalDependencies }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const options = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']
    const shell = process.platform === 'win32'
    execFileSync('npm', ['install', ...options], { cwd: folder, stdio: 'pipe', shell })
    const found = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock
    return new Map(
      unseen.flatMap(({ name }) => {
        const integrity = found.packages[`${FOLDER}${name}`]?.integrity
        return integrity === undefined ? [] : [[name, integrity]]
      }),
    )
  } catch (error) {
    // Packing works without a network, too: what has no checksum stays named.
    console.error(`the registry could not be asked for checksums: ${String(error)}`)
    return new Map()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same lock with these checksums, each after its address as npm writes it. */
export function addChecksums<Known extends Entry & { resolved?: string }>(
  lock: Lock<Known>,
  checksums: ReadonlyMap<string, string>,
): Lock<Known> {
  const pinned = Object.entries(lock.packages).map(([place, entry]): [string, Known] => {
    const checksum = checksums.get(place.slice(FOLDER.length))
    if (entry.integrity !== undefined || checksum === undefined) return [place, entry]
    const { version, resolved, ...rest } = entry
    return [place, { version, resolved, integrity: checksum, ...rest } as unknown as Known]
  })
  return { ...lock, packages: Object.fromEntries(pinned) }
}
