/**
 * How many rows have to be compared to find at least one wrong one, with this probability, if
 * `rate` of all are wrong.
 */
export const rowsToFind = (rate: number, probability: number): number =>
  Math.ceil(Math.log1p(-probability) / Math.log1p(-rate))
