/** A store that was given another id, as the audit log has it. */
export interface Rename {
  from: string
  to: string
  /** ISO, UTC. */
  at: string
}

/** Whoever looks for what a store left under an earlier id asks here. */
export interface RenameLog {
  /** Of all stores, oldest first. */
  renames(): Promise<Rename[]>
}

/** How the audit log calls it: as the command is called. */
export const RENAME_ACT = 'store rename'

/**
 * What a store is called now that was called `id` at a time: evidence keeps the id of its day, and
 * an id that a store gave up may be another one's since. Renames in their order. Pure.
 */
export const presentId = (
  renames: readonly Rename[],
  { id, at }: { id: string; at: string },
): string =>
  renames
    .filter(rename => Date.parse(rename.at) >= Date.parse(at))
    .reduce((name, { from, to }) => (name === from ? to : name), id)

/** Ids under which something of a store may lie, its own first. Renames in their order. Pure. */
export const possibleIds = (renames: readonly Rename[], store: string): string[] => [
  ...new Set(
    renames
      .toReversed()
      .reduce((ids, { from, to }) => (ids.at(-1) === to ? [...ids, from] : ids), [store]),
  ),
]
