import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { writeOnce } from '../../outbound/write-once.ts'

const WRITE_ONCE = fileURLToPath(new URL('../../outbound/write-once.ts', import.meta.url))
const EVIDENCE = 'evidence '.repeat(10_000)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * In a process whose files may not be larger than 32 kB. As on a disk that becomes full, the system
 * takes a part of the bytes at first, and says nothing.
 */
function writeUnderLimit(path: string): unknown {
  const script = `
    const { writeOnce } = await import(${JSON.stringify(WRITE_ONCE)})
    try { writeOnce(${JSON.stringify(path)}, 'evidence '.repeat(10_000)); console.log('{}') }
    catch ({ code, message }) { console.log(JSON.stringify({ code, message })) }`
  const said = execFileSync('bash', [
    '-c',
    'ulimit -f 32; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    script,
  ])
  return JSON.parse(said.toString())
}

it.skipIf(process.platform === 'win32')(
  'evidence that the disk took only a part of has no name, and nothing is left of it',
  () => {
    const folder = newFolder()
    const path = join(folder, 'receipt.json')
    expect(writeUnderLimit(path)).toEqual({
      code: 'DATABASE_FULL',
      message: expect.stringContaining(path) as string,
    })
    expect(readdirSync(folder)).toEqual([])
    writeOnce(path, EVIDENCE)
    expect(readFileSync(path, 'utf8')).toBe(EVIDENCE)
    expect(readdirSync(folder)).toEqual(['receipt.json'])
  },
)

it.skipIf(process.platform !== 'linux')(
  'a folder that the system does not make is named, with why',
  () => {
    // Node's own `recursive` says of a read-only disk that there is no such folder.
    expect(() => writeOnce('/sys/tillage/downtown/receipt.json', 'one')).toThrow(
      expect.objectContaining({ path: '/sys/tillage' }) as Error,
    )
  },
)

it('evidence is written once: the same bytes again are fine, others are refused', () => {
  const path = join(newFolder(), 'below', 'receipt.json')
  writeOnce(path, 'one')
  writeOnce(path, 'one')
  expect(() => writeOnce(path, 'two')).toThrow('is there already, with another content')
  expect(readFileSync(path, 'utf8')).toBe('one')
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o444)
})
