import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../log/log.ts'
import type { LogEvent } from '../../log/log.ts'
import { logSettings } from '../../log/settings.ts'

let folder: string
let said: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-log-'))
  said = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const log = (settings: object) =>
  createLog(logSettings.parse(settings), line => void said.push(line))
const event: LogEvent = {
  level: 'warning',
  event: 'window',
  text: 'two\nlines',
  store: 'downtown',
  stream: 'vendors',
  window: 'a/b',
  code: 'MOVING',
  run: 'r1',
}

it('a JSON line holds what the event is about, on one line', () => {
  log({ format: 'json' })(event)
  const [line = ''] = said
  expect(line).not.toContain('\n')
  const { at, ...rest } = JSON.parse(line) as LogEvent & { at: string }
  expect(rest).toEqual(event)
  expect(new Date(at).toISOString()).toBe(at)
})

it('what is below the level is left out', () => {
  const write = log({ level: 'warning' })
  write({ ...event, level: 'info' })
  expect(said).toEqual([])
  write(event)
  write({ ...event, level: 'error' })
  expect(said).toEqual(['two\nlines', 'two\nlines'])
})

it('a file is its owner’s alone, and one that was moved away is made anew', () => {
  const file = join(folder, 'tillage.log')
  const write = log({ format: 'json', file })
  write(event)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  renameSync(file, `${file}.1`)
  write(event)
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1)
  expect(said).toEqual([])
})

it('lines that a file does not take are shown, with one word about it, and nobody who logs fails', () => {
  const file = join(folder, 'away', 'tillage.log')
  const write = log({ file })
  write(event)
  write(event)
  expect(said).toEqual([
    expect.stringMatching(/^the log .*tillage\.log takes nothing \(.*ENOENT/),
    expect.stringContaining('warning two'),
    expect.stringContaining('warning two'),
  ])
  mkdirSync(join(folder, 'away'))
  write(event)
  expect(said).toHaveLength(3)
  expect(readFileSync(file, 'utf8')).toContain('warning two')
})
