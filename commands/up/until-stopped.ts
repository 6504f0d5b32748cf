import type { RunningWorker } from '../../temporal/session.ts'
import type { Context } from '../command.ts'

/** Lets a worker work until Ctrl-C, or until it stops by itself, which is an error. */
export async function untilStopped(
  worker: RunningWorker,
  { signal }: Pick<Context, 'signal'>,
): Promise<number> {
  try {
    await Promise.race([worker.stopped, aborted(signal)])
    return 0
  } finally {
    await worker.close()
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )
}
