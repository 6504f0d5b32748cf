import { parse, YAMLParseError } from 'yaml'
import { ConfigError } from '../errors.ts'

/** Throws a ConfigError that says where the mistake is and quotes nothing. */
export function parseYaml(file: string, text: string): unknown {
  try {
    // The library's warnings are not printed: they quote values, which may be keys.
    const document: unknown = parse(text, { logLevel: 'error' })
    refuseCycles(file, document)
    return document
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(
      file,
      [`it is not valid YAML: ${explainYaml(cause)}`],
      'Fix the line that it names; quotes around values with colons, ' +
        'or with a * or ! in front, often help.',
    )
  }
}

/** A reference inside of what it refers to has no end. */
function refuseCycles(file: string, value: unknown, above: readonly unknown[] = []): void {
  if (typeof value !== 'object' || value === null) return
  if (above.includes(value))
    throw new ConfigError(
      file,
      ['a reference (*) is inside what it refers to (&), so it never ends'],
      'Write out what is meant, without the reference.',
    )
  for (const item of Object.values(value)) refuseCycles(file, item, [...above, value])
}

/** Kind and place of the mistake. The library's own words may quote a value, which may be a key. */
function explainYaml(cause: unknown): string {
  if (!(cause instanceof YAMLParseError))
    return /alias count/i.test((cause as Error).message)
      ? 'its references (* and &) unfold to more than a configuration can hold'
      : 'a value starts with *, which YAML reads as a reference'
  const what = cause.code.toLowerCase().replaceAll('_', ' ')
  const [start] = cause.linePos ?? []
  return start === undefined ? what : `${what} at line ${start.line}, column ${start.col}`
}
