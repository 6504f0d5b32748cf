import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { RoundControl } from './round.ts'

const SAID_AFTER_MS = 1_000
const SAID_EVERY_MS = 15_000

/**
 * Writes to a store while nobody else does, on this machine or another one: two plans for the same
 * records would each judge by what the other one is about to change.
 */
export async function aloneInStore<Answer>(
  outbound: Pick<OutboundStore, 'lockStore'>,
  { store, run }: { store: string; run: string },
  { signal, say }: Pick<RoundControl, 'signal' | 'say'>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  let sayAtMs = Date.now() + SAID_AFTER_MS
  const waiting = (): void => {
    signal.throwIfAborted()
    if (Date.now() < sayAtMs) return
    say(`${store}: waits for another plan that is being written`)
    sayAtMs = Date.now() + SAID_EVERY_MS
  }
  const lock = await outbound.lockStore({ store, run }, waiting)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}
