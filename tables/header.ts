/** Which column a header means: by its name, or by what people call it. Pure. */

export interface NamedColumn {
  name: string
  /** What people and other programs call it. */
  aliases?: readonly string[]
}

/** `Package Tag` and `package_tag` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** The names of our columns that a header means; those that it does not know stay as they are. */
export function resolveHeader(names: readonly string[], columns: readonly NamedColumn[]): string[] {
  const known = new Map<string, string>()
  for (const { name, aliases = [] } of columns)
    for (const alias of aliases) known.set(plain(alias), name)
  for (const { name } of columns) known.set(plain(name), name)
  return names.map(name => known.get(plain(name)) ?? name)
}

/** The users' own columns, which nobody reads; names as they typed them. */
export const isIgnored = (name: string, ignored: readonly string[]): boolean =>
  ignored.some(one => plain(one) === plain(name) && plain(one) !== '')

/**
 * Something stands where the header has no name: it would be lost, or the row has slipped.
 * Undefined where nothing does.
 */
export function explainExtraCells(
  cells: readonly string[],
  header: readonly string[],
): string | undefined {
  const extra = cells.findIndex((cell, at) => cell !== '' && (header[at] ?? '') === '')
  if (extra === -1) return undefined
  const found = cells.findLastIndex(cell => cell !== '') + 1
  const named = header.findLastIndex(name => name !== '') + 1
  return found > named
    ? `the row has ${found} cells, the header ${named}; ` +
        'a separator inside of a text needs quotes around it'
    : `column ${extra + 1} has no name in the header`
}
