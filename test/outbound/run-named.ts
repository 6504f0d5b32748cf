import type { OutboundRun } from '../../connectors/destination/outbound.ts'

/** An apply that is under way, begun at `at`. */
export const runNamed = (plan: string, run: string, at: string): OutboundRun => ({
  plan,
  run,
  act: 'apply',
  user: 'ana',
  host: 'till',
  pid: 7,
  processStartedAt: null,
  startedAt: at,
  aliveUntil: at,
  endedAt: null,
  outcome: null,
})
