/**
 * One piece of work in each turn of the event loop: between two of them, what came over the network
 * is read and what waits for a slot is sent. Several answers that come at once would else be looked
 * at in one go, and all that came meanwhile would wait for that, and the slots with it.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  const nextTurn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))
  return () => (last = last.then(nextTurn))
}
