import type { Snapshot } from '../connectors/destination/snapshot.ts'
import type { Stream } from '../connectors/stream.ts'
import type { Dataset } from './dataset.ts'
import type { PostingHistory } from './posting-history.ts'
import type { ExportOrder, ExportProgress } from './request.ts'
import type { ManifestFile, StoredManifest } from './revisions/manifest.ts'

/** What one run of an export works with. */
export interface ExportRun {
  workFolder: string
  all: readonly Dataset[]
  wanted: readonly Dataset[]
  history: PostingHistory
  report: (progress: ExportProgress) => void
}

/** What a run found: what was given out before, and what the data are now. */
export interface ExportFacts {
  folder: string
  newest: StoredManifest | undefined
  snapshot: Snapshot
  /** By stream, a hash of its rows. */
  states: ReadonlyMap<string, string>
  /** The newest reading that the snapshot holds. */
  batch: number
  /** Whether a file that was given out is where it belongs. */
  present: (file: ManifestFile) => boolean
  /** What else there is to do, once, while files are written. */
  meanwhile: () => Promise<void>
}

/** The stream of an order that goes by business days. */
export const bookedIn = ({ streams }: Pick<ExportOrder, 'streams'>): Stream | undefined =>
  streams.find(({ bookedAt }) => bookedAt !== undefined)

export const isBooked = (order: Pick<ExportOrder, 'streams'>, name: string): boolean =>
  bookedIn(order)?.name === name
