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
