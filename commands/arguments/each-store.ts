import { TillageError } from '../../errors.ts'
import { errorAsJson, formatError } from '../terminal/error.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** A store for which nothing could be done, and why. */
export interface Refusal {
  store: string
  error: TillageError
}

/**
 * One store after another. One that fails does not keep the others from their turn; whoever stops
 * the program stops all of it.
 */
export async function eachStore(
  stores: readonly string[],
  work: (store: string) => Promise<void>,
): Promise<Refusal[]> {
  const refused: Refusal[] = []
  for (const store of stores) {
    try {
      await work(store)
    } catch (error) {
      if (!(error instanceof TillageError) || error.code === 'INTERRUPTED') throw error
      refused.push({ store, error })
    }
  }
  return refused
}

export const refusalsAsJson = (refused: readonly Refusal[]): object[] =>
  refused.map(({ store, error }) => ({ store, error: errorAsJson(error) }))

export function logRefusals(refused: readonly Refusal[], terminal: Terminal): void {
  for (const { error } of refused) terminal.log(formatError(error))
}

/** The worst that happened: failed, asked wrongly, finished with something left open, done. */
export function exitStatusOfStores(refused: readonly Refusal[], somethingLeft: boolean): number {
  const statuses: readonly number[] = [
    ...refused.map(({ error }) => error.exitStatus),
    somethingLeft ? 3 : 0,
  ]
  return [1, 2, 3].find(status => statuses.includes(status)) ?? 0
}
