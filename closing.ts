export interface Closable {
  close(): Promise<void>
}

/** What is closed where the block ends that opened it with `await using`; or by hand. */
export type Closing<Opened extends Closable = Closable> = Opened & AsyncDisposable

export const closing = <Opened extends Closable>(opened: Opened): Closing<Opened> =>
  Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() })

/** Why a block failed. That what it had opened could not be closed either comes second. */
export const firstError = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstError(error.suppressed) : error

/**
 * Runs the steps of an orderly end, from the last that was added to the first, each even where
 * another has failed: a connection that fails to close must not leave the database open. Throws the
 * first failure when all have run. A second call has nothing left to do.
 */
export async function closeAll(steps: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps.splice(0).reverse())
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}
