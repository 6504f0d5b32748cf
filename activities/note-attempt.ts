import { toIso } from '../calendar/days.ts'
import { TillageError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'

type Sources = Pick<Dependencies, 'destination' | 'now'>

/** Which errors of a step mean that the store cannot be read at all. */
export type MeansFailed = (error: TillageError) => boolean

/** The first request of a run: whatever it fails with. */
export const anyError: MeansFailed = ({ code }) => code !== 'INTERRUPTED'

/** A window that is not proven stands in the ledger; keys that are refused in the middle do not. */
export const fatalError: MeansFailed = ({ recovery, code }) =>
  recovery === 'fatal' && code !== 'INTERRUPTED'

/** Remembers that a store could not be read, and why: `status` tells it, whoever tried (INV-11). */
export async function noteIfItFails<Answer>(
  sources: Sources,
  { store, means }: { store: string; means: MeansFailed },
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TillageError && means(error)) await noteFailed(sources, store, error)
    throw error
  }
}

/** A database that takes nothing fails the run by itself; this error is the first cause. */
export async function noteFailed(
  { destination, now }: Sources,
  store: string,
  { code, message: detail }: Pick<TillageError, 'code' | 'message'>,
): Promise<void> {
  const attempt = { store, at: toIso(now()), outcome: 'failed' as const, code, detail }
  await destination.attempts.keep(attempt).catch(() => {})
}

/** Its API answered for this store, with these keys. */
export const noteAnswered = ({ destination, now }: Sources, store: string): Promise<void> =>
  destination.attempts.keep({
    store,
    at: toIso(now()),
    outcome: 'answered',
    code: undefined,
    detail: undefined,
  })
