import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

/**
 * Asks the process to end, waits, and ends it by force when it does not. Returns once it is gone;
 * fine if it already is.
 */
export async function stopProcess(identity: ProcessIdentity, graceMs = 10_000): Promise<void> {
  if (await signalAndWait(identity, 'SIGTERM', graceMs)) return
  await signalAndWait(identity, 'SIGKILL', 5_000)
}

async function signalAndWait(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  waitMs: number,
): Promise<boolean> {
  if (!isRunning(identity)) return true
  try {
    process.kill(identity.pid, signal)
  } catch {
    return !isRunning(identity)
  }
  const deadline = Date.now() + waitMs
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false
    await delay(20)
  }
  return true
}
