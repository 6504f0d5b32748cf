/** A secret that a database keeps beside its rows, by its name; in no log and no part of a copy. */
export interface KeptSecret {
  name: string
  /** What to do where something is kept that is no secret. */
  remedy: string
}

/** Made once, by whoever needs it first; from then on what is kept counts. */
export interface MadeSecret extends KeptSecret {
  make: () => string
}
