/** What pushes of catalogs remember besides their plans (`outbound.ts`). */
export interface PushMemory {
  /**
   * Pictures that were uploaded to a store: the record that the API made, as JSON text, by sha256.
   */
  assets(store: string): Promise<ReadonlyMap<string, string>>
  keepAsset(store: string, sha256: string, asset: string): Promise<void>
  /** The file that a schedule planned last; one that did not change makes no plan. */
  lastFile(schedule: string): Promise<SeenFile | undefined>
  keepFile(schedule: string, file: SeenFile): Promise<void>
  close(): Promise<void>
}

export interface SeenFile {
  path: string
  sha256: string
  /** Null where nothing was planned from it: its problems are in the journal of the schedule. */
  plan: string | null
  at: string
}
