/** Says on stderr which of the steps begins that bring a database up to date. */
export function sayStep(place: string, step: string, pending: readonly string[]): void {
  const at = `${pending.indexOf(step) + 1} of ${pending.length}`
  process.stderr.write(
    `bringing ${place} up to date, step ${at} (${step}); ` +
      'Ctrl-C ends it, and the next command goes on\n',
  )
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Does something that holds this thread for long, so that no handler of a signal would run: until
 * it is done, a signal ends the process as it does where nobody handles it. Only for what may be
 * cut off anywhere.
 */
export async function stoppable<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const handlers = SIGNALS.map(signal => [signal, process.listeners(signal)] as const)
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  try {
    return await work()
  } finally {
    for (const [signal, listeners] of handlers)
      for (const listener of listeners) process.on(signal, listener)
  }
}
