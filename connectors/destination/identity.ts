/** Which database this is, wherever it lies and whatever is configured. */
export interface Identity {
  /** Made once, at random; a backup that is restored gets another, for it lives a second life. */
  id(): Promise<string>
}
