import type { UpkeepDialect } from './upkeep-dialect.ts'

/** Who is to be forgotten, and where. */
export interface ForgettingWork {
  dialect: UpkeepDialect
  store: string
  ids: readonly string[]
  isForgotten(id: string): boolean
  /** Hears where an id stood in records of a stream. */
  note(stream: string): (place: string) => void
}

/** Rows of `column` in which one of the ids may stand, as it is or with escapes of JSON. */
export const holds = (
  { dialect, ids }: Pick<ForgettingWork, 'dialect' | 'ids'>,
  column: string,
): string =>
  [...ids.map((_, index) => `@id${index}`), `'\\'`]
    .map(text => dialect.contains(column, text))
    .join(' OR ')

/** The parameters of `holds`. */
export const boundIds = (ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id, index) => [`id${index}`, id]))

/** The same for rows of the store. */
export const bound = ({
  store,
  ids,
}: Pick<ForgettingWork, 'store' | 'ids'>): Record<string, string> => ({ store, ...boundIds(ids) })

/** An id among other characters, and not a part of a longer one. */
export const wordOf = (id: string): string => `(?<![\\w-])${escaped(id)}(?![\\w-])`

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
