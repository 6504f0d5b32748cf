import { isSecret } from '../secret-setting.ts'
import { childrenOf, layersOf, schemasAt } from './places.ts'
import { configSchema } from './schema.ts'

type Schema = Parameters<typeof schemasAt>[0]
type Path = readonly PropertyKey[]

/** Whether the schema of the settings declares this place, or one that it lies in, as secret. */
export const isSecretAt = (path: Path, schema: Schema = configSchema): boolean =>
  path.some((_, last) => schemasAt(schema, path.slice(0, last + 1)).some(isSecret))

/** The names of secret settings, wherever they stand. */
export const secretNames = (schema: Schema = configSchema): ReadonlySet<string> =>
  new Set(namesIn(schema))

const namesIn = (schema: Schema): string[] =>
  layersOf(schema)
    .flatMap(childrenOf)
    .flatMap(([name, child]) => [
      ...(layersOf(child).some(isSecret) ? [name] : []),
      ...namesIn(child),
    ])

/** The settings with every secret text replaced. */
export function replaceSecrets(
  settings: unknown,
  replace: (secret: string) => unknown,
  path: Path = [],
): unknown {
  if (typeof settings === 'string') return isSecretAt(path) ? replace(settings) : settings
  if (Array.isArray(settings))
    return settings.map((item, at) => replaceSecrets(item, replace, [...path, at]))
  if (typeof settings !== 'object' || settings === null) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      replaceSecrets(value, replace, [...path, name]),
    ]),
  )
}
