import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { explainExportFailure } from '../../exports/failure.ts'
import type { FileFormat } from '../../exports/formats/formats.ts'
import { builtScript } from '../helpers/program.ts'
import { sized } from '../helpers/size.ts'
import { createDatabase, insertRecords, sales } from './export-database.ts'
import { filesIn, freshFolder, orderFor, salesOf, START_MS } from './order.ts'

const script = builtScript('export-process')
const driver = fileURLToPath(import.meta.resolve('better-sqlite3'))
const run = promisify(execFile)
const ROWS = sized(150_000, 1_000_000)
/** More than an export needs (18 was enough), less than its rows take. */
const SMALL_HEAP = '--max-old-space-size=32'

describe('an export against the limits of its machine', () => {
  it.skipIf(process.platform === 'win32')(
    'says that the disk is full and leaves nothing, in every format',
    async () => {
      const folder = freshFolder()
      const database = createDatabase(join(folder, 'tillage.db'))
      insertRecords(database, sales, 'downtown', salesOf(2000))
      for (const format of ['parquet', 'csv', 'jsonl'] as const) {
        const order = orderFor(folder, { formats: [format] satisfies FileFormat[] })
        // Files of this process may grow to 8 KB: the same failure as a full disk, and no disk has
        // to be filled.
        const { stdout } = await run('sh', [
          '-c',
          'ulimit -f 16; exec "$0" "$@"',
          process.execPath,
          script,
          'count',
          '0',
          JSON.stringify(order),
        ])
        expect([format, JSON.parse(stdout)]).toEqual([format, { error: 'DATABASE_FULL' }])
        expect(filesIn(order.out)).toEqual([])
      }
      const unlimited = orderFor(folder, { formats: ['parquet', 'csv', 'jsonl'] })
      const { stdout } = await run(process.execPath, [
        script,
        'count',
        '0',
        JSON.stringify(unlimited),
      ])
      expect(JSON.parse(stdout)).not.toHaveProperty('error')
    },
  )

  it('is made with less memory than its rows would take', async () => {
    const folder = freshFolder()
    const path = join(folder, 'tillage.db')
    createDatabase(path).exec(`
      WITH RECURSIVE numbers(n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
      INSERT INTO _sales
        (store_id, id, name, modified, paid_at,
         total, tax, deleted, counter, tags)
      SELECT
        'downtown', printf('%016x', n * 7919 % 1000003), 'Piña ' || n, ${START_MS} + n, ${START_MS} + n,
        (n % 997) || '.' || (10 + n % 90), (n % 89) || '.05', n % 2, n, '["a",' || n || ']'
      FROM numbers`)
    const order = orderFor(folder, { datasets: ['sales'] })
    const { stdout } = await run(process.execPath, [
      SMALL_HEAP,
      script,
      'count',
      '0',
      JSON.stringify(order),
    ])
    const { peakMb } = JSON.parse(stdout) as { peakMb: number }
    process.stdout.write(
      `peak memory of an export of ${ROWS} rows in three formats: ${Math.round(peakMb)} MB\n`,
    )
    expect(peakMb).toBeLessThan(500)
    // The twin: whoever keeps them does not get to the end.
    const keepAll =
      `const database = new (require(${JSON.stringify(driver)}))(${JSON.stringify(path)})\n` +
      "database.prepare('SELECT * FROM _sales').all()"
    await expect(run(process.execPath, [SMALL_HEAP, '-e', keepAll])).rejects.toThrow('heap')
  })
})

describe('explainExportFailure', () => {
  const AT = { out: '/out', localFiles: '/data/tillage.db' }
  const failure = (message: string, code?: string): Error =>
    Object.assign(new Error(message), code === undefined ? {} : { code })

  it('turns what the system says into what to do', () => {
    expect(explainExportFailure(failure('write', 'ENOSPC'), AT)).toMatchObject({
      code: 'DATABASE_FULL',
    })
    expect(
      explainExportFailure(
        failure('IO Error: Could not write file "x": No space left on device'),
        AT,
      ),
    ).toMatchObject({ code: 'DATABASE_FULL' })
    for (const code of ['EDQUOT', 'EFBIG', 'SQLITE_FULL'])
      expect(explainExportFailure(failure('write', code), AT)).toMatchObject({
        code: 'DATABASE_FULL',
        remedy: expect.stringContaining('again') as string,
      })
    expect(explainExportFailure(failure('open', 'EMFILE'), AT)).toMatchObject({
      code: 'TOO_MANY_FILES',
    })
    expect(explainExportFailure(failure('open', 'EROFS'), AT)).toMatchObject({ code: 'USAGE' })
    const readonly = failure('attempt to write a readonly database', 'SQLITE_READONLY')
    expect(explainExportFailure(readonly, AT)).toMatchObject({
      code: 'DATABASE_BROKEN',
      message: expect.stringContaining(AT.localFiles) as string,
    })
    expect(explainExportFailure(failure('no such table: sales', 'SQLITE_ERROR'), AT)).toMatchObject(
      {
        code: 'DATABASE_BROKEN',
      },
    )
  })

  it('does not pass on a value that DuckDB quotes (INV-10), and leaves bugs as they are', () => {
    const explained = explainExportFailure(
      failure("Conversion Error: Could not convert string 'Ana Ruiz' to INT64"),
      AT,
    )
    expect(explained).toMatchObject({
      code: 'DATABASE_BROKEN',
      message: 'the rows cannot be exported (DuckDB: Conversion Error)',
    })
    expect(JSON.stringify(explained)).not.toContain('Ruiz')
    const bug = new TypeError('x is not a function')
    expect(explainExportFailure(bug, AT)).toBe(bug)
  })
})
