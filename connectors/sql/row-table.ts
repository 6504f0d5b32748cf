/** The table that holds the rows of a stream, or the lines of its records. */
export const rowTable = (name: string): string => `rows_${name}`
