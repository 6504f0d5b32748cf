import { bringExports } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import { isThere } from '../../connectors/database.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'

/** Before a command reads exports: with a bucket, those of other machines are brought. */
export async function bringKnown(config: Config): Promise<void> {
  if (config.objects === undefined || !(await isThere(config.database))) return
  const history = await openPostingHistory(config.database, { readonly: true })
  try {
    await bringExports(config, history)
  } finally {
    await history.close()
  }
}
