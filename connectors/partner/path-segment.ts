/**
 * A value as one segment of a path; undefined where that would be another path: of nothing, and of
 * dots, even escaped.
 */
export const pathSegment = (value: string): string | undefined =>
  ['', '.', '..'].includes(value) ? undefined : encodeURIComponent(value)
