import type { Governor } from './governor.ts'

/**
 * Sends a request when the governor has a slot. Of those that wait, what was begun first goes
 * first.
 */
export type RequestQueue = <Answer>(
  begunMs: number,
  request: () => Promise<Answer>,
) => Promise<Answer>

interface Waiting {
  begunMs: number
  send(): Promise<void>
  refuse(reason: unknown): void
}

/**
 * Of the windows of a list that are read at once, the first goes first, and the others fill the
 * slots that it leaves free: they end one after the other, and the next is read while one is
 * written. At the same pace they would end together, and nothing would be asked for meanwhile. It
 * takes no turn from another list: the governor gives slots in the order in which it was asked.
 */
export function createRequestQueue(governor: Pick<Governor, 'run'>): RequestQueue {
  const waiting: Waiting[] = []

  const sendNext = async (): Promise<void> => {
    let next: Waiting | undefined
    try {
      await governor.run(() => {
        next = waiting.shift()!
        return next.send()
      })
    } catch (error) {
      // There was no slot: one of those that wait goes without, and the last has the most time.
      if (next === undefined) waiting.pop()!.refuse(error)
    }
  }

  return <Answer>(begunMs: number, request: () => Promise<Answer>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const send = async (): Promise<void> => {
      try {
        resolve(await request())
      } catch (error) {
        reject(error)
        throw error
      }
    }
    const after = waiting.findLastIndex(other => other.begunMs <= begunMs)
    waiting.splice(after + 1, 0, { begunMs, send, refuse: reject })
    void sendNext()
    return promise
  }
}
