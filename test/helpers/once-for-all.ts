import { findTemporalCli } from '../../temporal/find-server.ts'
import { findWorkflowCode } from '../../temporal/workflow-code.ts'

/**
 * Once, before any test: on a new machine the server is downloaded or built, which takes minutes
 * and no test's time; the workflows are bundled.
 */
export async function setup(): Promise<void> {
  await findTemporalCli({ progress: line => process.stderr.write(`${line}\n`) })
  await findWorkflowCode()
}
