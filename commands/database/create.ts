import { create, createSql } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { faultOfAddress } from '../../connectors/server-address.ts'
import { UsageError } from '../../errors.ts'
import { rememberSecret } from '../../secrets.ts'
import type { Context } from '../command.ts'

/** `tillage database create [ADDRESS]`: of the configured database, where none is named. */
export async function databaseCreate(
  context: Context,
  { print = false }: { print?: boolean },
  address?: string,
): Promise<number> {
  const { terminal } = context
  const database = address === undefined ? context.config.database : checkedAddress(address)
  if (print) {
    terminal.print(await statementsFor(database, terminal.json))
    return 0
  }
  const created = await create(database, streams)
  const { place, owner, made, roles } = created
  terminal.print(
    terminal.json
      ? JSON.stringify(created)
      : [
          `${place} has its tables; they are ${owner}'s`,
          ...roles.map(role => `${role} ${made.includes(role) ? 'was made' : 'was there'}`),
        ].join('\n'),
  )
  if (roles.length > 0)
    terminal.log(
      `Who signs in becomes a member of one: GRANT ${roles.at(-1)} TO somebody. ` +
        'It reads the views, without what says who a person is.',
    )
  return 0
}

/** What the address of a parameter is wrong about; its password is in no message from here on. */
export function checkedAddress(address: string): string {
  rememberSecret(decodeURIComponent(URL.parse(address)?.password ?? '') || undefined)
  const fault = faultOfAddress(address)
  if (fault !== undefined) throw new UsageError(`the address of the database ${fault}`)
  return address
}

async function statementsFor(database: string, json: boolean): Promise<string> {
  const sql = await createSql(database, streams)
  if (json) return JSON.stringify({ sql: sql ?? null })
  return sql ?? `-- ${database} is a file, whose tables are made by whoever opens it first`
}
