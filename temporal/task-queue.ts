/**
 * Where the work of a database waits for its workers. The name goes with the database and with
 * nothing that is configured, so that no change of tillage.yaml leaves work behind.
 */
export const taskQueueOf = (databaseId: string): string => `tillage-${databaseId}`
