/** Gets the Temporal CLI into the cache, so that tests and demos do not pay for it. */
import { findTemporalCli } from '../temporal/cli/find-cli.ts'

console.log(await findTemporalCli({ progress: console.log }))
