import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cachedCliPath } from '../../../temporal/cli/cli-cache.ts'
import { startChild } from '../child.ts'
import type { TalkingChild } from '../child.ts'
import { waitFor } from '../wait-for.ts'
import { goScript, makeFolder, writeProgram } from './fake-programs.ts'

let folder: string
let cacheFolder: string
let calls: string
let gate: string
let children: TalkingChild[]
const countCalls = () =>
  existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0
const startFinding = () => {
  const child = startChild(new URL('./find-cli-child.ts', import.meta.url), [
    cacheFolder,
    'http://127.0.0.1:1',
    join(folder, 'bin'),
  ])
  children.push(child)
  return child
}

beforeEach(() => {
  folder = makeFolder()
  cacheFolder = join(folder, 'cache')
  calls = join(folder, 'calls')
  gate = join(folder, 'gate')
  children = []
  writeProgram(join(folder, 'bin', 'go'), goScript(calls, gate))
})
afterEach(() => {
  writeFileSync(gate, '')
  for (const child of children) child.process.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

it('builds once when two commands start together, and the second waits for the first and says so', async () => {
  const both = [startFinding(), startFinding()]
  const progress = (child: TalkingChild) =>
    child.said.map(document => String(document['progress'])).join('\n')
  await waitFor(
    () => both.some(child => progress(child).includes('waiting for it')),
    'one of the two waits',
  )
  await waitFor(() => countCalls() === 1, 'the other one builds')
  expect(existsSync(cachedCliPath(cacheFolder))).toBe(false)
  writeFileSync(gate, '')
  expect(await Promise.all(both.map(child => child.hear('found')))).toEqual([
    cachedCliPath(cacheFolder),
    cachedCliPath(cacheFolder),
  ])
  expect(countCalls()).toBe(1)
  expect(both.filter(child => progress(child).includes('four to twelve minutes'))).toHaveLength(1)
})

it('leaves no half program behind when the builder is killed, and the next one builds anew and sweeps up', async () => {
  const killed = startFinding()
  await waitFor(() => countCalls() === 1, 'the first one builds')
  const second = startFinding()
  killed.process.kill('SIGKILL')
  await killed.exited()
  await waitFor(() => countCalls() === 2, 'the second one builds')
  expect(existsSync(cachedCliPath(cacheFolder))).toBe(false)
  writeFileSync(gate, '')
  expect(await second.hear('found')).toBe(cachedCliPath(cacheFolder))
  expect(readdirSync(join(cacheFolder, 'temporal')).toSorted()).toEqual([
    'temporal-1.8.2',
    'temporal-1.8.2.lock',
  ])
})
