/** Workflow ids, derived from the work: the same work has the same id, so a second start joins the first. */
export interface SyncWork {
  store: string
  /** Store days, `to` exclusive; neither = since the watermark. */
  from?: string | undefined
  to?: string | undefined
  /** Read proven windows again too. */
  again?: boolean | undefined
}

const rangeOf = ({ from, to, again }: SyncWork): string[] => [from === undefined && to === undefined ? 'latest' : `${from ?? ''}..${to ?? ''}`, ...(again === true ? ['again'] : [])]

export const syncStreamId = (work: SyncWork, stream: string): string => ['sync', work.store, stream, ...rangeOf(work)].join('/')
export const syncStoreId = (work: SyncWork, streams: readonly string[]): string => ['sync', work.store, streams.join('+'), ...rangeOf(work), 'store'].join('/')
