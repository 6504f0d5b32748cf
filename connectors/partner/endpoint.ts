import type { OffsetParameter, Stream } from '../stream.ts'
import type { PartnerClient } from './client.ts'
import type { Governor } from './governor.ts'
import type { PageReader } from './read-page.ts'

/**
 * One list endpoint of one store, with what was learned of it. Shared by all windows of the stream.
 */
export interface Endpoint {
  stream: Stream
  client: PartnerClient
  governor: Governor
  /** Requests under way for one window, at most. */
  concurrency: number
  readPage: PageReader
  /** `start` or `skip`: the documented one, until the server is seen to ignore it. */
  offsetParameter: OffsetParameter
  /** Pinned once seen; a change is an error (INV-4). */
  envelope: string | undefined
}
