import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { Api } from '../../bench/api.ts'
import { SCRIPT } from '../../bench/contenders.ts'
import { countRows } from '../../bench/count-rows.ts'
import { measure, measureIdle } from '../../bench/measure.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-bench-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Page {
  values: { id: string; modified: number }[]
  total: number
}

const read = async (url: string): Promise<Page> => (await (await fetch(url)).json()) as Page

describe('the API of the duel', () => {
  test('shows the same records as one list and in windows of store days, and counts requests', async () => {
    const api = await Api.start(300)
    try {
      const { held, days } = await api.facts()
      const ids = new Set<string>()
      for (let skip = 0; skip < held.transactions; skip += 100)
        for (const { id } of (await read(`${api.url}/list?skip=${skip}&limit=100`)).values)
          ids.add(id)
      expect(ids.size).toBe(held.transactions)
      const [first, last] = days.map(day => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`)
      const window = `${api.url}/api/v1/partner/transactions?startDate=${first}&endDate=${last}`
      expect((await read(window)).total).toBe(held.transactions)
      expect((await api.facts()).requests).toBe(Math.ceil(held.transactions / 100) + 1)
    } finally {
      api.stop()
    }
  })

  test('refuses what exceeds the limit that it was given', async () => {
    const api = await Api.start(300)
    try {
      await api.set({ perSecond: 1 })
      const statuses = await Promise.all(
        [1, 2, 3].map(async () => (await fetch(`${api.url}/list`)).status),
      )
      expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0)
      expect((await api.facts()).refused).toBe(statuses.filter(status => status === 429).length)
    } finally {
      api.stop()
    }
  })
})

describe('what a contender holds', () => {
  const held = { transactions: 2, lines: 2, payments: 1, modifiedSum: 30 }
  const fill = (sql: string): void => {
    const database = new Database(join(folder, 'script.db'))
    database.exec(`DROP TABLE IF EXISTS transactions; DROP TABLE IF EXISTS lines;
      DROP TABLE IF EXISTS payments; CREATE TABLE transactions (id, modified);
      CREATE TABLE lines (id); CREATE TABLE payments (id);
      INSERT INTO transactions VALUES ('a', 10), ('b', 20); INSERT INTO lines VALUES (1), (2);
      INSERT INTO payments VALUES (1); ${sql}`)
    database.close()
  }

  test('is the same as what the API held', async () => {
    fill('')
    expect(await countRows(SCRIPT, folder, held)).toEqual({ lost: 0, twice: 0, sameVersions: true })
  })

  test.each([
    ["DELETE FROM transactions WHERE id = 'a'", { lost: 1, twice: 0, sameVersions: false }],
    ['DELETE FROM lines', { lost: 2, twice: 0, sameVersions: true }],
    ['INSERT INTO payments VALUES (1)', { lost: 0, twice: 1, sameVersions: true }],
    ["INSERT INTO transactions VALUES ('a', 0)", { lost: 0, twice: 1, sameVersions: true }],
    ['UPDATE transactions SET modified = 9', { lost: 0, twice: 0, sameVersions: false }],
  ])('differs by what was done to it: %s', async (sql, losses) => {
    fill(sql)
    expect(await countRows(SCRIPT, folder, held)).toEqual(losses)
  })
})

describe.runIf(process.platform === 'linux')('what a command costs', () => {
  const busy =
    'const kept = Buffer.alloc(8e7, 1); while (process.cpuUsage().user < 6e5 || kept[0] === 0);'
  const run = (script: string): ReturnType<typeof measure> =>
    measure({ program: process.execPath, args: ['-e', script], log: join(folder, 'log') })

  test('includes the processes that its child starts', async () => {
    const child = `[process.execPath, ['-e', ${JSON.stringify(busy)}]]`
    const cost = await run(`require('node:child_process').execFileSync(...${child})`)
    expect(cost.cpuSeconds).toBeGreaterThan(0.1)
    expect(cost.peakMb).toBeGreaterThan(80)
  })

  test('is, while it has nothing to do, what it holds and not what it once had', async () => {
    const idle = (megabytes: number): ReturnType<typeof measureIdle> => {
      const script = `
        let kept = Buffer.alloc(3e8, 1)
        kept = Buffer.alloc(${megabytes}e6, 1)
        gc()
        process.on('SIGTERM', () => process.exit(0))
        const isIdle = () => process.memoryUsage.rss() < ${megabytes + 150}e6
        setInterval(() => isIdle() && console.log('idle'), 20)`
      const args = ['--expose-gc', '-e', script]
      const log = join(folder, `idle-${megabytes}.log`)
      return measureIdle({ program: process.execPath, args, log }, () =>
        expect.poll(() => readFileSync(log, 'utf8')).toContain('idle'),
      )
    }
    const [small, large] = [await idle(1), await idle(200)]
    expect(small.peakMb).toBeLessThan(200)
    expect(large.peakMb! - small.peakMb!).toBeGreaterThan(150)
  })

  test('is an error with the place of its output where the command fails', async () => {
    await expect(run('process.exit(3)')).rejects.toThrow(/ended with 3: see .*log/)
  })
})
