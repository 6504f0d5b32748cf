import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { copyRows } from '../../../connectors/copy/copy-rows.ts'
import type { Comparison } from '../../../connectors/copy/copy-rows.ts'
import type { Cell, CopyTarget } from '../../../connectors/copy/ends.ts'
import {
  appendAct,
  migrate,
  openCopySource,
  openCopyTarget,
  openDestination,
  openReadOnly,
  readAuditLog,
  refuseUnread,
} from '../../../connectors/database.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { actNow } from '../../../connectors/sql/audit-chain.ts'
import type { SqlConnection } from '../../../connectors/sql/connection.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { sqlOn } from '../../../connectors/sqlite/connection/sql-connection.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { LONG, sized } from '../../helpers/size.ts'
import { ODD_VALUES, makeOddDatabase } from './odd-database.ts'
import type { OddValues } from './odd-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newPath = (): string => join(folder, `${randomUUID()}.db`)

const SOME: OddValues = {
  texts: ['', 'a\u0000b', '\\N', 'a\tb\n', '\uFFFD', 'é', '{"a":1}'],
  decimals: ['1.00', '1e2', '-12345678901234567890.5'],
  integers: [0n, -1n, 2n ** 63n - 1n],
}

interface Wanted {
  resume?: boolean
  keep?: boolean
  /** What the copy goes into, as the test wants it. */
  around?: (target: CopyTarget) => CopyTarget
}

/** As the command does it. */
async function copy(
  from: string,
  to: string,
  { resume = false, keep = false, around = target => target }: Wanted = {},
): Promise<Comparison> {
  const source = await openCopySource(from)
  try {
    const target = await openCopyTarget(to, streams, { from: source.place, resume })
    try {
      const signal = new AbortController().signal
      const comparison = await copyRows({
        source,
        target: around(target),
        streams,
        signal,
        progress: () => {},
      })
      if (comparison.different.length > 0) return comparison
      if (!keep) await source.markMoved(target.place)
      await target.finish({ newIdentity: keep })
      return comparison
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function asFile(path: string, work: (sql: SqlConnection) => Promise<unknown>): Promise<void> {
  const sql = sqlOn(openConnection(path))
  await work(sql)
  await sql.close()
}

/** Every row of every table, in the order of their numbers. */
async function contents(database: string): Promise<Record<string, Cell[][]>> {
  const source = await openCopySource(database)
  try {
    const found: Record<string, Cell[][]> = {}
    for (const { name, columns, key } of await source.shapes()) {
      const order = columns.includes('rowid') ? ['rowid'] : key
      found[name] = []
      for await (const rows of source.rows({ table: name, columns, key: order }))
        found[name].push(...rows)
    }
    const numbers = [...(await source.counters())].map(([name, number]) => [name, `${number}`])
    found['numbers'] = numbers.toSorted(([one], [other]) => (one! < other! ? -1 : 1))
    return found
  } finally {
    await source.close()
  }
}

describe('a copy', () => {
  it('has every row of every table, there and back, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(ODD_VALUES, async odd => {
        const [first, last] = [newPath(), newPath()]
        await makeOddDatabase(first, odd)
        const { url } = await postgresForTests()
        expect((await copy(first, url)).different).toEqual([])
        expect((await copy(url, last)).different).toEqual([])
        expect(await contents(last)).toEqual(await contents(first))
        const log = await readAuditLog(last)
        expect(log.breaks).toEqual([])
        expect(log.entries).toHaveLength(odd.texts.length)
      }),
      { numRuns: sized(2, 10) },
    )
  })

  it('has ids with a NUL again that the server could not hold, and nothing else for them', async () => {
    const [first, last] = [newPath(), newPath()]
    await makeOddDatabase(first, { ...SOME, texts: ['a', 'b', 'c'] })
    const raw = JSON.stringify({ id: 'a\u0000b', name: '\uFFFD' })
    await asFile(first, async sql => {
      await sql.run('UPDATE rows_vendors SET id = @id, raw = @raw WHERE id = @was', {
        id: 'a\u0000b',
        was: 'id 1',
        raw,
      })
      await sql.run('UPDATE versions SET id = @id, raw = @raw WHERE rowid = 1', {
        id: 'a\u0000b',
        raw,
      })
    })
    const { url } = await postgresForTests()
    await copy(first, url)
    const found = await withSql(url, sql =>
      sql.all(`SELECT id FROM rows_vendors WHERE id = 'a\uFFFDb'`),
    )
    expect(found).toHaveLength(1)
    await copy(url, last)
    expect(await contents(last)).toEqual(await contents(first))
  })

  it('goes on numbering after the last number, also on the way', async () => {
    const [path, { url }] = [newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    await copy(path, url)
    await appendAct(url, actNow('purge', {}))
    expect((await readAuditLog(url)).breaks).toEqual([])
    const next = await withSql(url, sql =>
      sql.all<{ batch: number; rowid: number }>(
        `INSERT INTO readings (store_id, stream, window_start, window_end, status, counts, read_at)
         VALUES ('a', 'b', 'c', 'd', 'proven', '{}', 'e') RETURNING batch`,
      ),
    )
    // Three were numbered 7, 14 and 21, and the last is gone.
    expect(next).toEqual([{ batch: 22 }])
  })

  it('says in which store and month something is not the same, and marks nothing', async () => {
    const [path, { url }] = [newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    const { different } = await copy(path, url, {
      around: target => ({
        ...target,
        async setCounters(counters) {
          await target.setCounters(counters)
          await withSql(url, sql =>
            sql.run(`UPDATE rows_vendors SET name = 'another' WHERE rid =
              (SELECT min(rid) FROM rows_vendors)`),
          )
        },
      }),
    })
    expect(different).toHaveLength(1)
    expect(different[0]!.source).toMatchObject({
      table: 'rows_vendors',
      store: 'downtown',
      rows: 1,
    })
    await expect(refuseUnread(url)).rejects.toMatchObject({ code: 'DATABASE_INCOMPLETE' })
    await appendAct(path, actNow('purge', {}))
  })

  it('finds a changed cell, whatever it is', async () => {
    const [path, { url }] = [newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    const changes = [
      `UPDATE rows_transactions SET raw = raw || ' ' WHERE rid = (SELECT min(rid) FROM rows_transactions)`,
      `DELETE FROM runs WHERE rowid = 2`,
      `UPDATE audit_log_last SET seq = seq + 1`,
      `UPDATE readings SET batch = batch + 1 WHERE batch = 14`,
    ]
    const { different } = await copy(path, url, {
      around: target => ({
        ...target,
        async setCounters(counters) {
          await target.setCounters(counters)
          await withSql(url, async sql => {
            for (const change of changes) await sql.run(change)
          })
        },
      }),
    })
    const found = different.map(({ source, target }) => (source ?? target)!.table)
    expect(found.toSorted()).toEqual([
      'readings',
      'rows_transactions',
      'runs',
      'the last number of audit_log',
      // By the trigger.
      'versions',
    ])
  })
})

describe('a copy that was ended', () => {
  it.each(LONG ? [1, 7, 40] : [1, 40])(
    'after %i commits goes on, and is opened by nothing else',
    async commits => {
      const [path, { url }] = [newPath(), await postgresForTests()]
      await makeOddDatabase(path, SOME)
      const before = await contents(path)
      let left = commits
      const ending = (target: CopyTarget): CopyTarget => ({
        ...target,
        async take(rows) {
          if (left-- === 0) throw new Error('the end')
          await target.take(rows)
        },
      })
      await expect(copy(path, url, { around: ending })).rejects.toThrow('the end')
      for (const open of [() => migrate(url, streams), () => refuseUnread(url)])
        await expect(open()).rejects.toMatchObject({ code: 'DATABASE_INCOMPLETE' })
      await expect(copy(path, url)).rejects.toMatchObject({ code: 'DATABASE_INCOMPLETE' })
      expect((await copy(path, url, { resume: true })).different).toEqual([])
      const back = newPath()
      left = commits
      await expect(copy(url, back, { around: ending })).rejects.toThrow('the end')
      expect(existsSync(back)).toBe(false)
      await copy(url, back, { resume: true })
      expect(await contents(back)).toEqual(before)
    },
  )

  it('is not gone on with from another database', async () => {
    const [path, other, { url }] = [newPath(), newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    await makeOddDatabase(other, SOME)
    const around = (target: CopyTarget): CopyTarget => ({
      ...target,
      take: () => Promise.reject(new Error('the end')),
    })
    await expect(copy(path, url, { around })).rejects.toThrow('the end')
    await expect(copy(other, url, { resume: true })).rejects.toMatchObject({
      code: 'DATABASE_INCOMPLETE',
    })
  })
})

describe('what was moved', () => {
  it('refuses writes, whoever has it open, names the new place, and can be read', async () => {
    const [path, back, { url }] = [newPath(), newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    await copy(path, url)
    const withPassword = url.replace('tillage@', 'tillage:secret@')
    const place = { database: path, localFiles: path, stores: [] }
    await expect(appendAct(path, actNow('purge', {}))).rejects.toMatchObject({
      code: 'DATABASE_MOVED',
      message: expect.stringContaining(url.replace('tillage@', '')),
    })
    await expect(migrate(path, streams)).rejects.toMatchObject({ code: 'DATABASE_MOVED' })
    await (await openReadOnly(place, streams)).close()
    await withSql(withPassword, async sql => {
      await sql.run('DELETE FROM runs WHERE false')
      await copy(withPassword, back)
      await expect(sql.run('DELETE FROM runs WHERE false')).rejects.toMatchObject({
        code: 'DATABASE_MOVED',
        message: expect.stringContaining(back),
      })
    })
    await expect(migrate(url, streams)).rejects.toMatchObject({ code: 'DATABASE_MOVED' })
    await (await openReadOnly({ ...place, database: url }, streams)).close()
    await migrate(back, streams)
  })

  it('is another database with another identity where the source is kept', async () => {
    const [path, { url }] = [newPath(), await postgresForTests()]
    await makeOddDatabase(path, SOME)
    await copy(path, url, { keep: true })
    await migrate(path, streams)
    const [one, other] = [await contents(path), await contents(url)]
    expect(one['database_identity']).not.toEqual(other['database_identity'])
  })
})

it('is refused where rows are already, and where somebody else is at work', async () => {
  const [path, { url }] = [newPath(), await postgresForTests()]
  await makeOddDatabase(path, SOME)
  await migrate(url, streams)
  await appendAct(url, actNow('purge', {}))
  await expect(copy(path, url)).rejects.toMatchObject({ code: 'DATABASE_NOT_EMPTY' })
  await expect(copy(url, path)).rejects.toThrow('is never overwritten')
  const held = await openCopySource(path)
  await expect(openCopySource(path)).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  await held.close()
  const destination = await openDestination({ database: url, localFiles: path }, streams)
  await expect(openCopySource(url)).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  await destination.close()
  await (await openCopySource(url)).close()
})
