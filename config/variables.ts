import { VARIABLE_NAME } from '../names.ts'
import { placeOf } from './places.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A document whose texts have the environment's values, and what was found wrong on the way. */
export interface FilledIn {
  document: unknown
  /** Names that the environment does not have, each once. */
  missing: string[]
  /** Where braces hold no name, or a name has none, as `stores[0].partnerKey`. */
  misnamed: string[]
}

/** As shells take it; no key is written so. */
const WITHOUT_BRACES = /^\$[A-Z][A-Z0-9_]+$/

/** Replaces `${NAME}` in every text of a document by the environment's value. */
export function fillInVariables(document: unknown, environment: Environment): FilledIn {
  const missing = new Set<string>()
  const misnamed: string[] = []
  const filledIn = fillIn(document, [])
  return { document: filledIn, missing: [...missing], misnamed }

  function fillIn(value: unknown, path: readonly PropertyKey[]): unknown {
    if (typeof value === 'string') return fillInText(value, path)
    if (Array.isArray(value)) return value.map((item, index) => fillIn(item, [...path, index]))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, fillIn(item, [...path, key])]),
      )
    return value
  }

  /** All braces without a name, and a name without braces, are mistakes; else a dollar is one. */
  function fillInText(text: string, path: readonly PropertyKey[]): string {
    const [whole, inside = ''] = /^\$\{([^}]*)\}?$/.exec(text) ?? []
    const isMisnamed = whole !== undefined && !(VARIABLE_NAME.test(inside) && whole.endsWith('}'))
    if (isMisnamed || WITHOUT_BRACES.test(text)) {
      misnamed.push(placeOf(path))
      return 'misnamed'
    }
    return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name]
      if (found !== undefined && found !== '') return found
      missing.add(name)
      return 'missing'
    })
  }
}
