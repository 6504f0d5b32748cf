import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

/**
 * Asks the process to end, waits, and ends it by force when it does not. Returns once it is gone;
 * fine if it already is.
 */
export async function stopProcess(identity: ProcessIdentity): Promise<void> {
  if (await signalAndWait(identity, 'SIGTERM', 10_000)) return
  await signalAndWait(identity, 'SIGKILL', 5_000)
}

/**
 * Ends a Temporal server that nobody uses any more, or that has to go. At once: its own orderly end
 * waits a second for workers that are gone, and every commit of it is in its database already.
 */
export async function endServer(identity: ProcessIdentity): Promise<void> {
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
    await delay(10)
  }
  return true
}
