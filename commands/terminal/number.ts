export const formatNumber = (value: number): string => value.toLocaleString('en-US')

/** `1 day`, `2 days`; of a noun with another plural, both. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
