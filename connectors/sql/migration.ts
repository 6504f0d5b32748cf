/** Says on stderr which of the steps begins that bring a database up to date. */
export function sayStep(place: string, step: string, pending: readonly string[]): void {
  const at = `${pending.indexOf(step) + 1} of ${pending.length}`
  process.stderr.write(
    `bringing ${place} up to date, step ${at} (${step}); ` +
      'Ctrl-C ends it, and the next command goes on\n',
  )
}

/** Says on stderr that another program holds up the step that would begin. */
export function sayWaiting(place: string): void {
  process.stderr.write(
    `${place} has to be brought up to date, and another program writes to it just now: waiting\n`,
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
  const came = await signalThatCame()
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  try {
    if (came !== undefined) process.kill(process.pid, came)
    return await work()
  } finally {
    for (const [signal, listeners] of handlers)
      for (const listener of listeners) process.on(signal, listener)
  }
}

/** How everything stands is answered without going through each window, reading or operation. */
export const INDEXES_OF_STANDING = [
  `CREATE INDEX windows_standing
   ON windows (store_id, status, stream, start_ms, end_ms, read_at)`,
  'CREATE INDEX readings_of_stream ON readings (store_id, stream, batch)',
  "CREATE INDEX readings_failed ON readings (store_id, batch) WHERE status = 'unproven'",
  'CREATE INDEX outbound_operations_state ON outbound_operations (state, plan)',
  'CREATE INDEX outbound_events_step ON outbound_events (plan, op, event, seq)',
]

/** How far each list is proven, and what was posted anew, is found at the ends of indexes. */
export const INDEXES_OF_ENDS = [
  'DROP INDEX windows_standing',
  `CREATE INDEX windows_proofs ON windows (store_id, stream, read_at, start_ms, end_ms)
   WHERE status = 'proven'`,
  `CREATE INDEX windows_unproven ON windows (store_id, stream, start_ms)
   WHERE status = 'unproven'`,
  'DROP INDEX readings_failed',
  "CREATE INDEX readings_failed ON readings (store_id, stream, batch) WHERE status = 'unproven'",
  'CREATE INDEX journal_entries_revised ON journal_entries (store_id, posted_at) WHERE place > 0',
]

/** A signal that came while this thread was busy is heard in its next turn, or by nobody. */
async function signalThatCame(): Promise<NodeJS.Signals | undefined> {
  let came: NodeJS.Signals | undefined
  const note = (signal: NodeJS.Signals): void => void (came = signal)
  for (const signal of SIGNALS) process.on(signal, note)
  await new Promise(resolve => setImmediate(resolve))
  return came
}
