import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { addChecksums, findUnseen } from '../tools/checksums.ts'
import {
  addAddresses,
  completeLock,
  findCompiled,
  findMissing,
  platformOf,
  readGypfile,
  shrinkwrapOf,
} from '../tools/complete-lock.ts'
import type { Lock } from '../tools/complete-lock.ts'
import { findOtherLicences, licencesOf } from '../tools/licences.ts'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock

it('holds a lock that npm ci accepts on every platform; if not: npm run lock', () => {
  expect(findMissing(lock).map(({ name }) => name)).toEqual([])
})

it('would be caught with a platform too few, and gives it back', () => {
  const { 'node_modules/@oxlint/binding-darwin-arm64': removed, ...packages } = lock.packages
  expect(findMissing({ ...lock, packages }).map(({ name }) => name)).toEqual([
    '@oxlint/binding-darwin-arm64',
  ])
  const completed = completeLock({ ...lock, packages })
  expect(findMissing(completed)).toEqual([])
  expect(completed.packages['node_modules/@oxlint/binding-darwin-arm64']).toMatchObject({
    version: removed!.version,
    os: ['darwin'],
    cpu: ['arm64'],
    dev: true,
    optional: true,
  })
})

it('keeps npm from compiling what brings its binaries; if not: npm run lock', () => {
  expect(readGypfile('node_modules/better-sqlite3')).toBe(false)
  expect(findCompiled(lock, readGypfile)).toEqual([])
  const { gypfile: _, ...silent } = lock.packages['node_modules/better-sqlite3']!
  expect(
    findCompiled(
      { ...lock, packages: { ...lock.packages, 'node_modules/better-sqlite3': silent } },
      readGypfile,
    ),
  ).toEqual(['node_modules/better-sqlite3'])
})

it('reads platforms from names, and does not guess', () => {
  expect(platformOf('@oxlint/binding-linux-arm-musleabihf')).toEqual({
    os: ['linux'],
    cpu: ['arm'],
    libc: ['musl'],
  })
  expect(platformOf('@swc/core-linux-s390x-gnu')).toEqual({
    os: ['linux'],
    cpu: ['s390x'],
    libc: ['glibc'],
  })
  expect(platformOf('@oxlint-tsgolint/win32-x64')).toEqual({ os: ['win32'], cpu: ['x64'] })
  expect(() => platformOf('fsevents')).toThrow('fsevents does not tell its platform')
})

it('agrees with what npm itself wrote for platforms that it knew', () => {
  const native = Object.entries(lock.packages).filter(
    ([place, entry]) =>
      /node_modules\/(@swc|@oxlint|@duckdb)\/.*-(linux|darwin|win32)-/.test(place) &&
      'integrity' in entry,
  )
  expect(native.length).toBeGreaterThan(5)
  for (const [place, { os, cpu, libc }] of native)
    expect({ os, cpu, libc: libc?.[0] }, place).toEqual({
      libc: undefined,
      ...platformOf(place.replace('node_modules/', '')),
      ...(libc === undefined ? {} : { libc: libc[0] }),
    })
})

it('says where each package comes from, and what it must be wherever anybody could look', () => {
  const packages = Object.entries(lock.packages).filter(([place]) => place !== '')
  expect(packages.filter(([, { resolved }]) => resolved === undefined)).toEqual([])
  // Built for a platform that the registry did not have when the lock was made; each is named.
  const unseen = packages.filter(([, { integrity }]) => integrity === undefined)
  expect(unseen.filter(([, { optional, os }]) => !optional || os === undefined)).toEqual([])
  const named = readFileSync('THIRD_PARTY.md', 'utf8')
  for (const { name, version } of findUnseen(lock)) expect(named).toContain(`${name}@${version}`)

  const [place, { resolved, ...entry }] = packages.find(([name]) => name.includes('/@temporalio/'))!
  expect(addAddresses({ packages: { [place]: entry } }).packages[place]!.resolved).toBe(resolved)
})

it('takes checksums for what has none, where npm puts them, and leaves those that are there', () => {
  const place = 'node_modules/@duckdb/node-bindings-darwin-arm64'
  const pinned = Object.keys(lock.packages).find(name => name.includes('/@temporalio/'))!
  const { [place]: entry, [pinned]: other } = lock.packages
  const { integrity: _, ...unpinned } = entry!
  const two = { packages: { [place]: unpinned, [pinned]: other! } }
  expect(findUnseen(two).map(({ name }) => name)).toEqual(['@duckdb/node-bindings-darwin-arm64'])
  const sums = new Map([
    ['@duckdb/node-bindings-darwin-arm64', 'sha512-one'],
    [pinned.replace('node_modules/', ''), 'sha512-two'],
  ])
  const completed = addChecksums(two, sums)
  expect(Object.keys(completed.packages[place]!).slice(0, 3)).toEqual([
    'version',
    'resolved',
    'integrity',
  ])
  expect(completed.packages[place]).toMatchObject({ integrity: 'sha512-one' })
  expect(completed.packages[pinned]).toEqual(other)
  expect(findUnseen(completed)).toEqual([])
})

it('ships what runs, pinned, and nothing that only we need', () => {
  const { packages } = shrinkwrapOf(lock)
  expect(Object.keys(packages)).toContain('node_modules/better-sqlite3')
  expect(Object.keys(packages)).not.toContain('node_modules/vitest')
  expect(packages['']).not.toHaveProperty('devDependencies')
})

it('ships nothing under a licence that asks for more than naming it; THIRD_PARTY.md says which (npm run lock)', () => {
  expect(findOtherLicences(lock)).toEqual([])
  expect(readFileSync('THIRD_PARTY.md', 'utf8')).toBe(licencesOf(lock))
  const other = { packages: { 'node_modules/x': { version: '1.0.0', license: 'GPL-3.0' } } }
  expect(findOtherLicences(other)).toEqual(['x: GPL-3.0'])
  expect(
    findOtherLicences({ packages: { 'node_modules/x': { license: '(MIT AND GPL-3.0)' } } }),
  ).toHaveLength(1)
  expect(
    findOtherLicences({ packages: { 'node_modules/x': { license: '(GPL-3.0 OR MIT)' } } }),
  ).toEqual([])
})
