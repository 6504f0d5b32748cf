/** A window that was read just now, for people who watch a worker. */
export interface WindowEvent {
  store: string
  stream: string
  /** ISO texts in UTC, half-open. */
  window: { start: string; end: string }
  status: 'proven' | 'unproven'
  /** Why it is not proven. */
  code?: string | undefined
  /** Of Temporal. */
  run: string
}
