import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { wallClock, wallInstants } from '../../../calendar/clock.ts'
import { publishedRows } from '../../../exports/revisions/published-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('an integer beyond 2^53 is read back from JSONL with all of its digits', async () => {
  const path = join(folder, 'rows.jsonl')
  writeFileSync(path, '{"n":9007199254740993,"t":"a"}\n{"n":2,"t":null}\n')
  const column = (name: string, kind: 'integer' | 'text') => ({ name, kind, person: false })
  const rows = []
  for await (const row of publishedRows(path, 'jsonl', [
    column('n', 'integer'),
    column('t', 'text'),
  ]))
    rows.push(row)
  expect(rows).toEqual([
    { n: '9007199254740993', t: 'a' },
    { n: '2', t: null },
  ])
})

it('what the clocks of a zone show leads back to the instant, or to the first that they show it at', () => {
  const zones = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Africa/Cairo')
  const instants = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2035, 0) })
  fc.assert(
    fc.property(zones, instants, (zone, ms) => {
      const toWall = wallClock(zone)
      const back = wallInstants(zone)(toWall(ms))
      expect(toWall(back)).toBe(toWall(ms))
      expect(back).toBeLessThanOrEqual(ms)
      expect(ms - back).toBeLessThanOrEqual(3_600_000)
    }),
  )
})
