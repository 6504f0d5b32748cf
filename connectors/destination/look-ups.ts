/**
 * Records that others refer to and that no list has brought: which of them to ask for by their id.
 */
export interface LookUps {
  /**
   * Those of the ids that are no row of ours, and of which the API has not said before that it does
   * not know them.
   */
  unanswered(store: string, stream: string, ids: readonly string[]): Promise<string[]>
  /** The API does not know these; they are not asked for again. ISO, UTC. Safe to call again. */
  rememberMissing(
    store: string,
    stream: string,
    ids: readonly string[],
    askedAt: string,
  ): Promise<void>
}
