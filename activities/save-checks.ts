import { toIso } from '../connectors/window.ts'
import { rateBound } from '../schedules/confidence.ts'
import type { Dependencies } from './dependencies.ts'

/** What a check found in one stream, summed over its sample of windows, or over its sample of single records. */
export interface StreamCheck {
  stream: string
  drawnBy: 'window' | 'id'
  /** How many were drawn. */
  drawn: number
  compared: number
  mismatched: number
  changed: number
  healed: number
}

export interface CheckedStream extends StreamCheck {
  /** The rate of wrong rows is at most this, with 95 % confidence. */
  rateBound: number
}

export interface ChecksToSave {
  store: string
  seed: number
  streams: StreamCheck[]
}

/** Keeps what a check said, with its bound. */
export async function saveChecks({ destination, now }: Dependencies, { store, seed, streams }: ChecksToSave): Promise<CheckedStream[]> {
  const checked = streams.map((stream) => ({ ...stream, rateBound: rateBound(stream.mismatched, stream.compared) }))
  const rows = checked.map(({ rateBound: bound, drawnBy, ...counts }) => ({ store_id: store, checked_at: toIso(now()), seed, drawn_by: drawnBy, ...counts, rate_bound: bound }))
  if (rows.length > 0) await destination.execute(destination.db.insertInto('checks').values(rows).compile())
  return checked
}
