import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { readCsv } from '../../text/read-csv.ts'
import { csvText } from '../../text/write-csv.ts'
import { startProject } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { enter, walk } from './console.ts'
import type { Answers } from './console.ts'
import { HOSTILE, startHostileApi } from './hostile-api.ts'
import type { HostileApi } from './hostile-api.ts'

let project: Project
let close: () => Promise<void>
let api: HostileApi
let served: ServedConsole
/** Every address that the pages lead to, and what was answered there. */
let answers: Answers

beforeAll(async () => {
  const data = { seed: 5, stores: 1, days: 4, until: '2026-03-08', transactionsPerDay: 12 }
  const scene = await startProject(data)
  ;({ project, close } = scene)
  api = await startHostileApi(scene.sandbox.baseUrl)
  const { developerKey } = scene.sandbox.stores[0]!
  const { partnerKey } = scene.sandbox
  const store = { id: 'downtown', baseUrl: api.baseUrl, partnerKey, developerKey }
  project.configure([{ ...store, timeZone: 'America/Los_Angeles' }], {
    reconcile: { approvers: [{ name: HOSTILE, role: HOSTILE }] },
  })
  await project.run('sync', '--from', '2026-03-04', '--to', '2026-03-08')
  await project.run('journal', '--date', '2026-03-05')
  await project.run('doctor')
  await countStock()
  writeFileSync(join(project.folder, 'v.csv'), `external_id,name\nV-1,${csvText([HOSTILE], [])}`)
  await project.run('push', 'plan', 'vendors', 'v.csv')
  served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')), {
    program: 'cli.ts',
  })
  answers = await walk(await enter(served), '/')
})

afterAll(async () => {
  await served.close()
  await api.close()
  await close()
})

/** Counts everything as it is, but for one lot, and plans that. */
async function countStock(): Promise<void> {
  const taken = await project.run('audit', 'snapshot', '--open', '--json')
  const { audit, files } = JSON.parse(taken.stdout) as {
    audit: string
    files: { path: string; format: string }[]
  }
  const sheet = files.find(({ format }) => format === 'csv')!.path
  const rows = readCsv(readFileSync(sheet, 'utf8')).map((row, at) => {
    const counted = { counted_by: HOSTILE, counted_at: new Date().toISOString(), note: HOSTILE }
    const expected = row['expected_qty'] ?? ''
    const filled: Record<string, string> = {
      ...row,
      ...counted,
      counted_qty: at === 0 ? String(Math.max(0, Number(expected) - 1)) : expected,
      reason_code: at === 0 ? 'theft' : '',
    }
    return SHEET_COLUMNS.map(name => filled[name] ?? '')
  })
  writeFileSync(join(project.folder, 'counts.csv'), csvText(SHEET_COLUMNS, rows))
  await project.run('audit', 'report', audit, '--counts', 'counts.csv')
  await project.run('reconcile', 'plan', 'counts.csv')
}

it('stays text on every page, whatever the API says', () => {
  const pages = [...answers].filter(([, { type }]) => type.includes('html'))
  for (const [path, { text }] of pages) {
    expect(text, path).not.toMatch(/<script>|<img|onerror=alert\(1\)>(?!\s*&)/)
    expect(text.match(/<script/g) ?? [], path).toHaveLength(path.includes('/files/') ? 0 : 1)
  }
  // It did reach them: the same, escaped.
  const reached = pages.filter(([, { text }]) => text.includes('&lt;script&gt;alert(1)'))
  expect(reached.map(([path]) => path.split(/[/?]/)[1])).toEqual(
    expect.arrayContaining(['plans', 'audits']),
  )
})

it('is no formula in any file that a page hands out', () => {
  const files = [...answers].filter(([, { type }]) => type.includes('csv'))
  for (const [path, { text }] of files) expect(text, path).not.toMatch(/(^|,|")=cmd/m)
  expect(files.some(([, { text }]) => text.includes("'=cmd"))).toBe(true)
})
