import type { WireRange } from '../calendar/windows.ts'
import type { Verdict } from '../connectors/partner/prove.ts'
import { readEach } from '../connectors/partner/read-each.ts'
import { readWindow } from '../connectors/partner/read-window.ts'
import type { Endpoint, Reading, StagePage } from '../connectors/partner/read-window.ts'
import { valuesFor } from '../connectors/sqlite/known-rows.ts'
import type { Dependencies } from './dependencies.ts'

/** Reads a window of a stream, of each of its lists where it has many. */
export async function readList(
  { destination }: Dependencies,
  store: string,
  endpoint: Endpoint,
  reading: Reading,
  wire: WireRange,
  stage: StagePage,
  signal: AbortSignal,
): Promise<Exclude<Verdict, { status: 'again' }>> {
  const { parent } = endpoint.stream
  if (parent === undefined) return readWindow(reading, endpoint, wire, stage, signal)
  return readEach(
    reading,
    endpoint,
    wire,
    await valuesFor(destination.db, store, parent),
    stage,
    signal,
  )
}
