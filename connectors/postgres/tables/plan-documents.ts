import type { PlanDocuments } from '../../destination/outbound.ts'
import { firstOf } from '../../sql/connection.ts'
import type { SqlConnection } from '../../sql/connection.ts'

/** The files of plans, for machines that have not written them. */
export const planDocumentsOn = (sql: SqlConnection): PlanDocuments => ({
  async keep(document) {
    await sql.run(
      `INSERT INTO plan_documents (folder, name, bytes) VALUES (@folder, @name, @bytes)
       ON CONFLICT DO NOTHING`,
      document,
    )
  },
  async names(folder) {
    const found = await sql.all<{ name: string }>(
      'SELECT name FROM plan_documents WHERE folder = @folder ORDER BY name',
      { folder },
    )
    return found.map(({ name }) => name)
  },
  async read(folder, name) {
    const found = await firstOf<{ bytes: Buffer }>(
      sql,
      'SELECT bytes FROM plan_documents WHERE folder = @folder AND name = @name',
      { folder, name },
    )
    return found?.bytes
  },
})
