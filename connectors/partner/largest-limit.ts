import { PartnerError } from '../../errors.ts'

/** Refusals of what a request asks for, as opposed to where it asks and with which key. */
const OF_PARAMETERS: ReadonlySet<number> = new Set([400, 413, 416, 422])

/** The request as it is was refused: another `limit` may be answered. */
export const refusesParameters = (error: unknown): error is PartnerError =>
  error instanceof PartnerError &&
  error.code === 'PARTNER_REFUSED' &&
  OF_PARAMETERS.has(error.refused?.status ?? 0)

/**
 * The largest `limit` that a list takes, below one that it refused: most lists' caps are not shown
 * (documentation, Limits, rule 8), and a server may refuse what is above its own. `ask` sends the
 * same request with another limit. Undefined: one row is refused too, so the limit is not why.
 * Throws what says nothing of the limit.
 */
export async function findLargestLimit(
  refused: number,
  ask: (limit: number) => Promise<unknown>,
): Promise<number | undefined> {
  const isTaken = async (limit: number): Promise<boolean> => {
    try {
      await ask(limit)
      return true
    } catch (error) {
      if (refusesParameters(error)) return false
      throw error
    }
  }
  if (refused <= 1 || !(await isTaken(1))) return undefined
  let [taken, tooMany] = [1, refused]
  while (tooMany - taken > 1) {
    const limit = Math.floor((taken + tooMany) / 2)
    if (await isTaken(limit)) taken = limit
    else tooMany = limit
  }
  return taken
}

/** The name of the fact among `behaviours`; its value is a number, or `1000 or more`. */
export const LARGEST_LIMIT = 'largest limit'

/** What a request was refused with, and which limit is taken instead; for people. */
export const limitEvidence = (refused: number, { refused: answer }: PartnerError, taken: number) =>
  `limit=${refused} was refused with ${answer!.status}, and limit=${taken} was answered`

/** By stream: the largest limit that its list was seen to take, where it refused a larger one. */
export const largestLimits = (
  facts: readonly { stream: string; name: string; value: string }[],
): Record<string, number> =>
  Object.fromEntries(
    facts
      .filter(({ name, value }) => name === LARGEST_LIMIT && /^\d+$/.test(value))
      .map(({ stream, value }) => [stream, Number(value)]),
  )
