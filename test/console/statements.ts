import Database from 'better-sqlite3'

/** Statements that this process runs on SQLite meanwhile; whoever prepares one, has it counted. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { prepare } = Database.prototype
  let count = 0
  Database.prototype.prepare = function (this: Database.Database, ...asked: [string]) {
    const statement = prepare.apply(this, asked)
    for (const name of ['all', 'get', 'run'] as const) {
      const run = statement[name].bind(statement) as (...values: unknown[]) => never
      statement[name] = (...values: unknown[]) => {
        count++
        return run(...values)
      }
    }
    return statement
  } as typeof prepare
  try {
    await work()
  } finally {
    Database.prototype.prepare = prepare
  }
  return count
}
