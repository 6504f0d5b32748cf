import type { Hints, NewHint } from '../connectors/destination/hints.ts'

/** Events that come within this are written in one transaction. */
const TOGETHER_MS = 5
/** One that comes while so many wait for the disk is refused; the API sends it again. */
const MOST_AT_ONCE = 5_000
/** From so many on, a read of what changed lately costs less than one of each. */
export const MOST_WAITING = 50

/** Keeps what comes at about the same time at once: a write to the disk is milliseconds. */
export function createHintKeeper(
  hints: Pick<Hints, 'keep' | 'foldMany'>,
): (hint: NewHint) => Promise<void> {
  let together: NewHint[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    await new Promise(resolve => setTimeout(resolve, TOGETHER_MS))
    const all = together
    together = []
    writing = undefined
    await hints.keep(all, Date.now())
    for (const store of new Set(all.map(one => one.store)))
      await hints.foldMany(store, MOST_WAITING)
  }

  return hint => {
    if (together.length >= MOST_AT_ONCE) return Promise.reject(new Error('too many at once'))
    together.push(hint)
    return (writing ??= write())
  }
}
