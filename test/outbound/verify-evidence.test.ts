import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sealFolder } from '../../outbound/evidence.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import { sha256Of } from '../../sha256.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tillage-receipts-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Chained receipts of a push, as `push apply` leaves them; answers their paths. */
function receiptsOfPush(count: number): string[] {
  writeFileSync(join(folder, 'plan.jsonl'), '')
  mkdirSync(join(folder, 'receipts'))
  let previous: string | null = null
  return Array.from({ length: count }, (_, index) => {
    const seq = index + 1
    const receipt = { seq, plan_id: 'PL-1', op_id: `op-${seq}`, previous_sha256: previous }
    const body = JSON.stringify(receipt)
    previous = sha256Of(body)
    const path = join(folder, 'receipts', `receipt_PL-1_${String(seq).padStart(4, '0')}.json`)
    writeFileSync(path, body)
    return path
  })
}

it('takes a receipt of a push, which no manifest names, and follows the chain behind it', () => {
  const paths = receiptsOfPush(10)
  for (const [index, path] of paths.entries())
    expect(verifyEvidence(path)).toMatchObject({ filesChecked: index + 1, problems: [] })
})

it('finds a receipt of a push that was changed, by the one that followed it', () => {
  const [, second, third] = receiptsOfPush(3) as [string, string, string]
  writeFileSync(second, readFileSync(second, 'utf8').replace('op-2', 'op-9'))
  const changed = [expect.objectContaining({ path: second, problem: 'another content' })]
  expect(verifyEvidence(second)?.problems).toEqual(changed)
  expect(verifyEvidence(third)?.problems).toEqual(changed)
})

it('does not take a receipt that lies in no push and that no manifest names', () => {
  const [path] = receiptsOfPush(1) as [string]
  rmSync(join(folder, 'plan.jsonl'))
  expect(verifyEvidence(path)?.problems).toMatchObject([{ problem: 'missing' }])
})

it('finds a manifest of an audit that was changed after another one had followed it', () => {
  const audit = { path: folder, tool: 'tillage', kind: 'audit', id: 'A-1', store: 'main' } as const
  writeFileSync(join(folder, 'snapshot.jsonl'), '{}')
  writeFileSync(join(folder, 'notes.txt'), 'counted twice')
  const first = sealFolder(audit)
  writeFileSync(join(folder, 'report.csv'), 'a')
  sealFolder(audit)
  expect(verifyEvidence(first)?.problems).toEqual([])
  const { files, ...rest } = JSON.parse(readFileSync(first, 'utf8')) as { files: unknown[] }
  writeFileSync(first, JSON.stringify({ ...rest, files: files.slice(1) }))
  expect(verifyEvidence(first)?.problems).toMatchObject([
    { path: first, problem: 'another content', detail: expect.stringContaining('its successor') },
  ])
})
