/** What XML cannot hold. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NO_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/** Excel reads `_x000D_` as the character of that number (ECMA-376, part 1, 22.9.2.19). */
const LIKE_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g

/** A text as a sheet holds it, so that it is read as it was: without what XML cannot hold. */
export const xlsxText = (text: string): string =>
  text.replaceAll(NO_XML, '').replaceAll(LIKE_ESCAPED, '_x005F_')
