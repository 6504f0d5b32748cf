import { bringIfPossible, sayMissing } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** How things stand is told without a bucket that cannot be reached, and that it is. */
export async function bringOrSay(
  config: Config,
  { givenOut }: Pick<ReadOnlyDatabase, 'givenOut'>,
  terminal: Terminal,
): Promise<void> {
  for (const why of await bringIfPossible(config, givenOut)) terminal.log(sayMissing(why))
}
