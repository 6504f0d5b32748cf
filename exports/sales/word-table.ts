/**
 * What words of the API mean. A map and no object: an object knows words of its own, such as
 * `constructor`, and an API may send any.
 */
export const wordTable = <Meaning>(
  meanings: Readonly<Record<string, Meaning>>,
): ReadonlyMap<string, Meaning> => new Map(Object.entries(meanings))
