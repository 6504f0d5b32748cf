import { findTemporalCli } from '../../temporal/find-server.ts'

/**
 * Once, before any test: on a new machine the server is downloaded or built, which takes minutes
 * and no test's time.
 */
export async function setup(): Promise<void> {
  await findTemporalCli({ progress: line => process.stderr.write(`${line}\n`) })
}
