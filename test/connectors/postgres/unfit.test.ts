import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  create,
  migrate,
  openDestination,
  overwriteFreed,
  refuseUnfit,
  refuseUnread,
  withPeople,
} from '../../../connectors/database.ts'
import { members } from '../../../connectors/partner/streams/members.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { refuseUnfit as refuseUnfitOn } from '../../../connectors/postgres/schema/refuse-unfit.ts'
import type { Sql } from '../../../connectors/sql/connection.ts'
import { text, timestamp } from '../../../connectors/stream.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { commitDay } from '../sql/by-hand-databases.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified') })

/** Signs in, and has no right that was not given. */
const ROLE = `unfit_${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'tillage-unfit-'))
let admin: Client
let server: string

beforeAll(async () => {
  const { url } = await postgresForTests()
  server = url.replace(/\?.*/, '')
  admin = new Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE ROLE ${ROLE} LOGIN`)
})
afterAll(async () => {
  await admin.query(`DROP OWNED BY ${ROLE} CASCADE; DROP ROLE ${ROLE}`)
  await admin.end()
  rmSync(folder, { recursive: true, force: true })
})

/** A schema that the owner of the server has made, and its address for each of both. */
async function schemaOf(): Promise<{ owner: string; plain: string; schema: string }> {
  const { url, schema } = await postgresForTests()
  return { owner: url, plain: url.replace('tillage@', `${ROLE}@`), schema }
}

/** What a refusal says is to be run: it is, and the next refusal is asked for. */
async function statementsOf(refused: Promise<unknown>): Promise<string> {
  const error: unknown = await refused.then(
    () => 'nothing was refused',
    (cause: unknown) => cause,
  )
  expect(error).toMatchObject({ code: 'DATABASE_REFUSED' })
  return (error as { remedy: string }).remedy.replace(/^.*same command again: /, '')
}

it('a role that lacks rights is told which, and works once it has them', async () => {
  const { owner, plain, schema } = await schemaOf()
  expect(await statementsOf(refuseUnread(plain))).toBe(
    `GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${ROLE}";`,
  )
  const grants = await statementsOf(migrate(plain, [sales]))
  await migrate(owner, [sales])
  await admin.query(grants)
  await expect(migrate(plain, [sales])).rejects.toMatchObject({
    code: 'DATABASE_REFUSED',
    remedy: expect.stringContaining('tillage doctor --database'),
  })
  const tables = await statementsOf(refuseUnfit(plain))
  expect(tables).toContain(`SELECT, INSERT, UPDATE, DELETE ON "${schema}".`)
  await admin.query(tables)
  await refuseUnfit(plain)
  const { rows } = await admin.query(`
    SELECT has_table_privilege('${ROLE}', '${schema}.audit_log', 'INSERT') AS adds,
      has_table_privilege('${ROLE}', '${schema}.audit_log', 'UPDATE, DELETE') AS changes,
      has_table_privilege('${ROLE}', '${schema}.tillage_steps', 'INSERT, UPDATE, DELETE') AS steps`)
  expect(rows).toEqual([{ adds: true, changes: false, steps: false }])
  await migrate(plain, [sales])
  await admin.query(`REVOKE INSERT ON ${schema}.windows FROM ${ROLE}`)
  expect(await statementsOf(refuseUnfit(plain))).toBe(
    `GRANT INSERT ON "${schema}"."windows" TO "${ROLE}";`,
  )
})

it('a worker by its role reads, writes and forgets, but does not write tables of others anew', async () => {
  const { owner, plain } = await schemaOf()
  await create(owner, [members])
  await admin.query(`GRANT tillage_worker TO ${ROLE}`)
  await refuseUnfit(plain)
  const place = { database: plain, localFiles: join(folder, 'local') }
  const destination = await openDestination(place, [members])
  try {
    await commitDay(destination, members, 0, ['{"id":"M1","modified":1}'])
    expect(await destination.rows.lastReading()).toBe(1)
  } finally {
    await destination.close()
  }
  const forgotten = await withPeople(plain, [members], people =>
    people.forget({ store: 'downtown', member: 'M1', keyOf: undefined }),
  )
  expect(forgotten.tables).toEqual([{ table: 'members', removed: 1, changed: 0 }])
  expect(await overwriteFreed(plain)).toBe(false)
  expect(await overwriteFreed(owner)).toBe(true)
})

it('a schema that is not there is made, or said to whoever may make it', async () => {
  const { owner, plain, schema } = await schemaOf()
  const other = (url: string): string => url.replace(schema, `${schema}_other`)
  expect(await statementsOf(migrate(other(plain), [sales]))).toBe(
    `CREATE SCHEMA "${schema}_other" AUTHORIZATION "${ROLE}";`,
  )
  await Promise.all([migrate(other(owner), [sales]), migrate(other(owner), [sales])])
  await refuseUnread(other(owner))
})

it('a database of another encoding is refused', async () => {
  const name = `latin_${process.pid}`
  const kind = `ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`
  await admin.query(`CREATE DATABASE ${name} ${kind}`)
  try {
    const address = server.replace(/\/postgres$/, `/${name}`)
    const refused = { code: 'DATABASE_REFUSED', message: expect.stringContaining('LATIN1') }
    await expect(migrate(address, [sales])).rejects.toMatchObject(refused)
    await expect(refuseUnfit(address)).rejects.toMatchObject(refused)
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  }
})

it('a server of an earlier version is refused', async () => {
  const { owner } = await schemaOf()
  await withSql(owner, async sql => {
    const older: Sql = {
      ...sql,
      async all<Row extends object>(text: string, parameters?: object) {
        const rows = await sql.all<Row>(text, parameters)
        return rows.map(row => ({ ...row, version: '14.9', versionNumber: 140_009 }))
      },
    }
    await expect(refuseUnfitOn(older, 'a place')).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: 'a place is on PostgreSQL 14.9, and 15 is the oldest that is supported',
    })
    await refuseUnfitOn(sql, 'a place')
  })
})
