import type { Config } from '../config.ts'
import { TemporalError } from '../errors.ts'
import type { Connected } from '../temporal/session.ts'
import { setRetention } from './set-retention.ts'

/**
 * Tells Temporal how long it keeps runs that end from now on, where tillage.yaml says it. A server
 * that does not let us keeps what it has; nights go on all the same.
 */
export async function applyRetention(
  { client }: Connected,
  { retention: { temporalDays } }: Config,
  log: (line: string) => void,
): Promise<void> {
  if (temporalDays === undefined) return
  try {
    await setRetention(client, temporalDays)
    log(`Temporal keeps the histories of runs that are over for ${temporalDays} days`)
  } catch (error) {
    if (!(error instanceof TemporalError)) throw error
    log(`${error.message}. ${error.remedy ?? ''}`)
  }
}
