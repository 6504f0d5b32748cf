import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Pictures that were uploaded, and files that schedules have seen
 * (`connectors/destination/push.ts`).
 */
export const pushTables: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('push_assets')
      .addColumn('store_id', 'text', column => column.notNull())
      .addColumn('sha256', 'text', column => column.notNull())
      .addColumn('asset', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('push_assets_key', ['store_id', 'sha256'])
      .execute()
    await db.schema
      .createTable('push_files')
      .addColumn('schedule', 'text', column => column.notNull())
      .addColumn('path', 'text', column => column.notNull())
      .addColumn('sha256', 'text', column => column.notNull())
      .addColumn('plan', 'text')
      .addColumn('at', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('push_files_key', ['schedule', 'path'])
      .execute()
  },
}
