/** The order of two texts by their code units, for `sort`: the same in every locale. */
export const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)
