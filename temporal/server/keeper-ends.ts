/** How a keeper ends, as the exit status of its process. */
export const KEEPER_ENDS = {
  /** Nobody uses the server any more, or another keeper is in charge. */
  done: 0,
  serverBroken: 1,
  /** A server that is not of this machine or container has the database. */
  usedElsewhere: 3,
} as const
