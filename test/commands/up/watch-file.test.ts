import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchForChanges } from '../../../commands/up/watch-file.ts'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'tillage-watch-')), 'tillage.yaml')
  writeFileSync(path, 'a')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true }))

it('a file is looked at once without a change: it was read before it was watched', async () => {
  const file = watchForChanges(() => [path], 10)
  await file.changed()
  let isTold = false
  const told = file.changed().then(() => (isTold = true))
  await new Promise(resolve => setImmediate(resolve))
  expect(isTold).toBe(false)
  // Right after it is watched, and in the place of another, as editors do.
  writeFileSync(`${path}.new`, 'ab')
  renameSync(`${path}.new`, path)
  await told
  file.close()
})

it('a file is looked at again after a while where somebody asks for that, and only then', async () => {
  const file = watchForChanges(() => [path], 10)
  await file.changed()
  let isTold = false
  const told = file.changed().then(() => (isTold = true))
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(isTold).toBe(false)
  file.changedIn(20)
  await told
  file.close()
})
