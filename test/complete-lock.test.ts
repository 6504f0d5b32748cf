import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  completeLock,
  findCompiled,
  findMissing,
  platformOf,
  readGypfile,
} from '../tools/complete-lock.ts'
import type { Lock } from '../tools/complete-lock.ts'

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
