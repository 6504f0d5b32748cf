import { refuseOlder } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { Context } from '../command.ts'

/** For a command that only reads: a database of an earlier version is refused, not changed. */
export const onlyReads =
  <Rest extends unknown[]>(run: (context: Context, ...rest: Rest) => Promise<number>) =>
  async (context: Context, ...rest: Rest): Promise<number> => {
    await refuseOlder(context.config.database, streams)
    return run(context, ...rest)
  }
