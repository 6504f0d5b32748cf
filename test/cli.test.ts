import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

function runWithCache(cache: string): string {
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env
  const env = { ...environment, TILLAGE_CACHE: cache }
  return execFileSync(process.execPath, [CLI, '--version'], { env, encoding: 'utf8' })
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-cache-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('keeps what was compiled for the next command, among what can be made again', () => {
  const cache = freshFolder()
  expect(existsSync(join(cache, 'compiled'))).toBe(false)
  const version = runWithCache(cache)
  const kept = (): string[] =>
    readdirSync(join(cache, 'compiled'), { recursive: true, encoding: 'utf8' })
  expect(kept().length).toBeGreaterThan(20)
  const before = kept().toSorted()
  expect(runWithCache(cache)).toBe(version)
  expect(kept().toSorted()).toEqual(before)
})

it('works as well where nothing can be kept', () => {
  const cache = join(freshFolder(), 'a file')
  writeFileSync(cache, '')
  expect(runWithCache(cache)).toMatch(/^\d+\.\d+\.\d+/)
})
