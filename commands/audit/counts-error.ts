import { CountsError } from '../../audit/count-problem.ts'
import type { Context } from '../command.ts'

/** Every mistake of the counts at once, for people and for programs. */
export async function describeCountsError(
  { terminal }: Context,
  action: () => Promise<number>,
): Promise<number> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof CountsError)) throw error
    const { code, message, remedy, problems } = error
    terminal.log(`${code}: ${message}\n${remedy ?? ''}`)
    if (terminal.json)
      terminal.print(JSON.stringify({ error: { code, message, remedy, problems } }))
    return error.exitStatus
  }
}
