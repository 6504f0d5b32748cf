import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANY_PORT } from '../helpers/any-port.ts'
import { NOTHING_SCHEDULED, startProject, storesOf, waitFor } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, days: 4, transactionsPerDay: 10 })
})
afterAll(() => started.close())

test('up serves what every process read, the SDK’s series beside it, and keeps a log of windows', async () => {
  const { project, sandbox } = started
  project.configure(storesOf(sandbox), {
    schedules: NOTHING_SCHEDULED,
    metrics: ANY_PORT,
    log: { format: 'json', level: 'debug', file: 'up.log' },
  })
  const file = join(project.folder, 'up.log')
  const range = ['--from', '2026-03-12', '--to', '2026-03-15']
  expect((await project.run('sync', 'transactions', ...range)).status).toBe(0)
  const up = project.start('up')
  const log = (): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const ended = up.outcome.then(({ stderr }) => Promise.reject(new Error(`up ended: ${stderr}`)))
  ended.catch(() => {})
  await Promise.race([waitFor(() => log().includes('/metrics'), 'the metrics'), ended])
  const [, address] = /metrics: (http:\S+)\/metrics/.exec(log())!

  const pageNow = async (): Promise<string> => (await fetch(`${address}/metrics`)).text()
  const ready = async (): Promise<number> => (await fetch(`${address}/ready`)).status
  // The SDK's series begin with what it does first.
  await expect.poll(pageNow).toMatch(/^temporal_\w+\{/m)
  const page = await pageNow()
  const labels = '{store="downtown",stream="transactions",outcome="proven"}'
  const [[windows]] = project.query(
    `SELECT count(*) FROM readings WHERE stream = 'transactions' AND status = 'proven'`,
  ) as [[number]]
  expect(page).toContain(`tillage_windows_total${labels} ${windows}`)
  expect(page).not.toContain(started.sandbox.partnerKey)
  expect(page).toContain('tillage_open_notices{severity="critical"} ')
  await expect.poll(ready).toBe(200)
  const database = join(project.folder, 'tillage-data', 'tillage.db')
  renameSync(database, `${database}.away`)
  expect(await (await fetch(`${address}/ready`)).json()).toMatchObject({ database: false })
  renameSync(`${database}.away`, database)
  await expect.poll(ready).toBe(200)

  // A window that this process reads is counted and in the log.
  expect((await project.run('sync', 'vendors')).status).toBe(0)
  const next = await pageNow()
  expect(next).toMatch(
    /tillage_windows_total\{store="downtown",stream="vendors",outcome="proven"\} 1/,
  )
  expect(next).toContain(`tillage_windows_total${labels} ${windows}`)
  up.kill('SIGINT')
  const { status, stderr } = await up.outcome
  expect(status).toBe(0)
  // For whoever started it alone: it signs an administrator in.
  expect(stderr).toMatch(/^Console: http:\S+ticket=\S+$/m)
  expect(log()).not.toContain('ticket=')
  for (const line of log().trimEnd().split('\n')) {
    const { at, level, event } = JSON.parse(line) as Record<string, string>
    expect([new Date(at!).toISOString(), level, event]).not.toContain(undefined)
  }
})
