import type { StreamStatus } from '../../standing/stream-status.ts'

/** A stream that is offered, and of which nothing was read yet. */
export const UNREAD: StreamStatus = {
  store: 'downtown',
  stream: 'transactions',
  offered: true,
  rows: 0,
  provenFrom: null,
  provenUntil: null,
  gaps: [],
  watermark: null,
  unproven: 0,
  unprovenSince: null,
  deadLetters: 0,
  findings: 0,
  findingsOver: 0,
  lastReadAt: null,
  shapeChanges: [],
}
