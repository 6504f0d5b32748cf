/** Gets the Temporal CLI into the cache, so that tests and demos do not pay for it. */
import { findTemporalCli } from '../temporal/find-server.ts'

console.log(await findTemporalCli({ progress: console.log }))
