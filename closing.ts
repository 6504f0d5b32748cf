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
