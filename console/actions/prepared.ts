/** Who made which plan on a page, as the audit log has it. */
export const PREPARED = 'console prepared'

/** Whoever made a plan here; undefined: nobody did, or at a terminal. */
export const preparerOf = (
  noted: readonly Readonly<Record<string, unknown>>[],
  plan: string,
): string | undefined => {
  const made = noted.find(one => one['plan'] === plan)
  return typeof made?.['by'] === 'string' ? made['by'] : undefined
}
