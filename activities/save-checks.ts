import { toIso } from '../calendar/days.ts'
import type { KeptCheck } from '../connectors/destination/checks.ts'
import { rateBound } from '../schedules/rules/confidence.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * What a check found in one stream, summed over its sample of windows, or over its sample of single
 * records.
 */
export interface StreamCheck {
  stream: string
  drawnBy: 'window' | 'id'
  /**
   * Sample size, population where it was counted, and how many of the sample were wrong.
   */
  drawn: number
  of?: number | undefined
  wrongDrawn?: number | undefined
  compared: number
  mismatched: number
  changed: number
  healed: number
}

export interface CheckedStream extends StreamCheck {
  /**
   * The rate of what is wrong is at most this, with 95 % confidence; exactly this where nothing was
   * left out.
   */
  rateBound: number
  /**
   * Of what: errors come in clumps, so a sample of days bounds the rate of wrong days; one of
   * records, or of all days, that of rows.
   */
  boundOf: 'rows' | 'windows'
}

export interface ChecksToSave {
  store: string
  seed: number
  streams: StreamCheck[]
}

/** Keeps what a check said, with its bound. */
export async function saveChecks(
  { destination, now }: Dependencies,
  { store, seed, streams }: ChecksToSave,
): Promise<CheckedStream[]> {
  const checked = streams.map(stream => ({ ...stream, ...boundOf(stream) }))
  const checkedAt = toIso(now())
  const kept = checked.map((check): KeptCheck => ({ ...check, store, seed, checkedAt }))
  await destination.checks.add(kept)
  return checked
}

function boundOf({
  drawnBy,
  drawn,
  of,
  wrongDrawn,
  compared,
  mismatched,
}: StreamCheck): Pick<CheckedStream, 'rateBound' | 'boundOf'> {
  if (drawnBy === 'id') return { rateBound: rateBound(mismatched, compared), boundOf: 'rows' }
  if (drawn === of)
    return { rateBound: compared === 0 ? 0 : mismatched / compared, boundOf: 'rows' }
  return { rateBound: rateBound(wrongDrawn ?? mismatched, drawn), boundOf: 'windows' }
}
