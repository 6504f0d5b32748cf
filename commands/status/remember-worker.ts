import type { WorkerStanding } from './worker-is-up.ts'

/** To ask Temporal may take a minute, which neither a page nor an alarm waits for. */
const ASK_EVERY_MS = 10_000
/** A server that starts anew is away for so long; what is older, nobody knows any more. */
const KNOWN_FOR_MS = 60_000

/**
 * How the worker stood when Temporal answered last; whoever asks has it asked again for the next.
 * `unasked` is what holds while there is no answer at all.
 */
export function rememberWorker(
  ask: () => Promise<WorkerStanding>,
  unasked: WorkerStanding,
  // One that nobody sets: what it shows is not stored.
  now: () => number = () => performance.now(),
): () => WorkerStanding {
  let known = unasked
  let without = unasked
  let answeredMs = -Infinity
  let askedMs = -Infinity
  const askAgain = async (): Promise<void> => {
    const standing = await ask()
    without = unasked
    if (standing.isUp === undefined) without = standing
    else {
      known = standing
      answeredMs = now()
    }
  }
  return () => {
    if (now() - askedMs >= ASK_EVERY_MS) {
      askedMs = now()
      // What cannot be asked for now is asked for again; meanwhile it grows old.
      askAgain().catch(() => {})
    }
    return now() - answeredMs < KNOWN_FOR_MS ? known : without
  }
}
