/**
 * `npm run lock`: completes package-lock.json and writes THIRD_PARTY.md, and is run after each `npm
 * install` that changed the lock. npm leaves out two things that `npm ci` then misses:
 *
 * - A package with native parts names an optional dependency for each platform, and npm writes only
 *   those that the registry had at the time; without the others `npm ci` refuses the lock
 *   everywhere. What is added gets its checksum from the registry; what that does not have yet
 *   stays without one, is named in THIRD_PARTY.md, and is installed on its own platform alone.
 * - A package that brings its binaries says `gypfile: false`. Not finding that in the lock, npm up
 *   to 11 compiles it all the same, with headers from the internet and a compiler, or fails.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { addChecksums, askForChecksums, findUnseen } from './checksums.ts'
import { licencesOf } from './licences.ts'

interface Entry {
  name?: string
  version?: string
  resolved?: string
  integrity?: string
  dev?: true
  optional?: true
  os?: string[]
  cpu?: string[]
  libc?: string[]
  license?: string
  engines?: Record<string, string>
  gypfile?: boolean
  optionalDependencies?: Record<string, string>
}

export interface Lock {
  packages: Record<string, Entry>
}

interface Missing {
  name: string
  version: string
  parent: Entry
}

/** Optional dependencies that the lock names and does not hold. */
export function findMissing({ packages }: Lock): Missing[] {
  return Object.values(packages).flatMap(parent =>
    Object.entries(parent.optionalDependencies ?? {}).flatMap(([name, version]) =>
      `node_modules/${name}` in packages ? [] : [{ name, version, parent }],
    ),
  )
}

/** Where npm's registry has a package: npm itself asks the registry that is configured instead. */
function addressOf(place: string, { name, version }: Entry): string {
  const full = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return `https://registry.npmjs.org/${full}/-/${full.slice(full.indexOf('/') + 1)}-${version}.tgz`
}

/** The same lock with the address of each package, in npm's own order of fields. */
export function addAddresses(lock: Lock): Lock {
  const addressed = Object.entries(lock.packages).map(([place, entry]): [string, Entry] => {
    if (place === '' || entry.version === undefined) return [place, entry]
    const { name, version, resolved, ...rest } = entry
    const named = name === undefined ? {} : { name }
    return [place, { ...named, version, resolved: resolved ?? addressOf(place, entry), ...rest }]
  })
  return { ...lock, packages: Object.fromEntries(addressed) }
}

/** What a package that is published holds its users to: the lock without what only we need. */
export function shrinkwrapOf(lock: Lock): Lock {
  const kept = Object.entries(lock.packages).filter(([, { dev }]) => dev === undefined)
  const [[, { devDependencies: _, ...root }], ...others] = kept as [
    [string, Entry & { devDependencies?: object }],
    ...[string, Entry][],
  ]
  return { ...lock, packages: Object.fromEntries([['', root], ...others]) }
}

/** The same lock with an entry for each of them, in npm's own order. */
export function completeLock(lock: Lock): Lock {
  const packages = { ...lock.packages }
  for (const { name, version, parent } of findMissing(lock)) {
    if (!/^\d+\.\d+\.\d+\S*$/.test(version))
      throw new Error(
        `${name} is asked for as ${version}, and which version that is only the registry knows`,
      )
    packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(parent.dev === undefined ? {} : { dev: true }),
      ...(parent.license === undefined ? {} : { license: parent.license }),
      optional: true,
    }
  }
  return {
    ...lock,
    packages: Object.fromEntries(
      Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
    ),
  }
}

/**
 * Packages that must not be compiled and whose entry does not say so; `says` reads a package's own
 * word.
 */
export function findCompiled(
  { packages }: Lock,
  says: (place: string) => boolean | undefined,
): string[] {
  return Object.entries(packages)
    .filter(([place, { gypfile }]) => place !== '' && gypfile !== false && says(place) === false)
    .map(([place]) => place)
}

/** `gypfile` of an installed package; undefined for one that is not installed here. */
export function readGypfile(place: string): boolean | undefined {
  const path = `${place}/package.json`
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Entry).gypfile : undefined
}

/** npm skips a package by these fields alone, so a name that does not tell them is not guessed. */
export function platformOf(
  name: string,
): Required<Pick<Entry, 'os' | 'cpu'>> & Pick<Entry, 'libc'> {
  const os = /[-/](darwin|linux|win32|freebsd|android|openharmony|netbsd|openbsd|sunos|aix)\b/.exec(
    name,
  )?.[1]
  const cpu = /-(arm64|x64|ia32|arm|ppc64|s390x|riscv64|loong64|mips64el)\b/.exec(name)?.[1]
  const libc = { gnu: 'glibc', musl: 'musl' }[/-(gnu|musl)(?:eabi(?:hf)?)?$/.exec(name)?.[1] ?? '']
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not tell its platform`)
  return { cpu: [cpu], os: [os], ...(libc === undefined ? {} : { libc: [libc] }) }
}

if (import.meta.main) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
  const [missing, compiled] = [findMissing(lock), findCompiled(lock, readGypfile)]
  for (const place of compiled) lock.packages[place]!.gypfile = false
  const addressed = addAddresses(completeLock(lock))
  const checksums = askForChecksums(findUnseen(addressed))
  const completed = addChecksums(addressed, checksums)
  writeFileSync('package-lock.json', `${JSON.stringify(completed, undefined, 2)}\n`)
  if (process.argv.includes('--shrinkwrap'))
    writeFileSync(
      'npm-shrinkwrap.json',
      `${JSON.stringify(shrinkwrapOf(completed), undefined, 2)}\n`,
    )
  writeFileSync('THIRD_PARTY.md', licencesOf(completed))
  console.log(
    `package-lock.json: ${missing.length} platform packages added, ` +
      `${compiled.length} marked as not to be compiled, ` +
      `${checksums.size} checksums added, ` +
      `${findUnseen(completed).length} packages that the registry does not have`,
  )
}
