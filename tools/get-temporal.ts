/** Gets the Temporal CLI into the cache, so that tests and demos do not pay for it. */
import { createTerminal } from '../commands/terminal/create-terminal.ts'
import { findTemporalCli } from '../temporal/cli/find-cli.ts'

console.log(await findTemporalCli({ progress: createTerminal(false, process).progress }))
