/**
 * What is known of the limits of a key (`connectors/store/shared-pace.ts`). It is over within
 * seconds, so no commit waits for the disk, and a server that crashes forgets it.
 */
export const KEY_PACES = [
  `CREATE UNLOGGED TABLE key_paces (
    key text PRIMARY KEY, version bigint NOT NULL, kept text NOT NULL)`,
]
