import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
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

it('takes today for the day of this machine, although everything inside is in UTC', () => {
  const folder = freshFolder()
  const store = { id: 's', baseUrl: 'http://127.0.0.1:9', partnerKey: 'p', developerKey: 'd' }
  writeFileSync(join(folder, 'tillage.yaml'), JSON.stringify({ stores: [store] }))
  const todayIn = (TZ: string): string => {
    const args = [CLI, 'files', '--from', 'today', '--to', 'today']
    const env = { ...process.env, TZ }
    return spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }).stderr
  }
  // 25 hours lie between them: it is never the same day there.
  const [first, last] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map(todayIn)
  expect(first).toMatch(/the range from \d{4}-\d\d-\d\d to/)
  expect(last).toMatch(/the range from \d{4}-\d\d-\d\d to/)
  expect(first).not.toBe(last)
})

/** A command in a process that may have so many files open. */
function runWithFiles(most: number): { status: number | null; stdout: string; stderr: string } {
  const script = `ulimit -n ${most}; exec "$0" "$1" streams --json`
  return spawnSync('bash', ['-c', script, process.execPath, CLI], { encoding: 'utf8' })
}

it.skipIf(process.platform === 'win32')(
  'says that it may open too few files, before a thread of it would end without a word',
  () => {
    const { status, stdout, stderr } = runWithFiles(60)
    expect(stderr).toContain('ulimit -n 1024')
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'TOO_MANY_FILES',
        message: expect.stringMatching(/only \d+ more files .* nothing was begun$/) as string,
      },
    })
    expect(status).toBe(1)
    expect(runWithFiles(256).status).toBe(0)
  },
)

/** What `--help` ends with, where its output goes there; nobody reads a pipe. */
async function help(stdout: number | 'pipe'): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [CLI, '--help'], { stdio: ['ignore', stdout, 'pipe'] })
  child.stdout?.destroy()
  const status = new Promise<number | null>(resolve => child.on('close', resolve))
  return { said: await text(child.stderr!), status: await status }
}

it('ends with 1 and says so where what it printed does not fit onto the disk', async () => {
  const full = openSync('/dev/full', 'w')
  const { status, said } = await help(full)
  closeSync(full)
  expect(status).toBe(1)
  expect(said).toContain('could not be written whole (ENOSPC')
})

it('ends well where nobody reads any further', async () => {
  expect(await help('pipe')).toEqual({ status: 0, said: '' })
})
