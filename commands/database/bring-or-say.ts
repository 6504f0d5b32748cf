import { bringIfPossible } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** How things stand is told without a bucket that cannot be reached, and that it is. */
export async function bringOrSay(
  config: Config,
  { givenOut }: Pick<ReadOnlyDatabase, 'givenOut'>,
  terminal: Terminal,
): Promise<void> {
  const why = await bringIfPossible(config, givenOut)
  if (why === undefined) return
  terminal.log(`what other machines gave out may be missing here: ${why.code}: ${why.message}`)
}
