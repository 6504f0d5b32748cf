/** What a person says of a plan, of which store where plans of several have its name. */
export interface SaidBy {
  by: string
  reason: string
  store?: string
}

/** Without blanks around name and reason. */
export const trimmed = ({ by, reason }: SaidBy): { by: string; reason: string } => ({
  by: by.trim(),
  reason: reason.trim(),
})
