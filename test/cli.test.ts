import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../bin/tillage.ts')

/** What `tillage help` ends with, where its output goes there. */
async function help(stdout: number | 'pipe'): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [PROGRAM, '--help'], { stdio: ['ignore', stdout, 'pipe'] })
  // Nobody reads what it prints.
  child.stdout?.destroy()
  const status = new Promise<number | null>(resolve => child.on('close', resolve))
  return { said: await text(child.stderr!), status: await status }
}

test('what was printed onto a full disk ends with 1 and says so', async () => {
  const full = openSync('/dev/full', 'w')
  const { status, said } = await help(full)
  closeSync(full)
  expect(status).toBe(1)
  expect(said).toContain('could not be written whole (ENOSPC')
})

test('whoever reads no further is no failure', async () => {
  expect(await help('pipe')).toEqual({ status: 0, said: '' })
})
