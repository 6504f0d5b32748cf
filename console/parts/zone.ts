/** The zone of all stores, where they share one; else UTC. */
export function commonZone(stores: readonly { timeZone: string }[]): string {
  const zones = new Set(stores.map(({ timeZone }) => timeZone))
  return zones.size === 1 ? [...zones][0]! : 'UTC'
}
