import { posix } from 'node:path'

/** One import of a source file. */
export interface Import {
  /**
   * `./connectors/stream.ts` for a file of ours, from the repository's root; else as written:
   * `zod`, `node:fs`.
   */
  target: string
  /**
   * `import type`: gone when the code runs. With `import { type A }` the module is loaded all the
   * same.
   */
  typeOnly: boolean
}

const STATEMENT = /^(?:import|export)\s+(?:(type)\s+(?!from\b))?(?:[^'"`;]*?\bfrom\s+)?'([^']+)'/gm
const CALL = /\b(?:import|require|require\.resolve|import\.meta\.resolve)\(\s*'([^']+)'/g
/**
 * Threads and children are named by address: `new URL('./keeper.ts', import.meta.url)`, or with the
 * extension of the moment.
 */
const ADDRESS = /new URL\(\s*['`](\.[^'`$]*)(?:\$\{[^}]*\})?[^'`]*['`]\s*,/g

/**
 * Everything that a file imports, loads or starts, in the spelling of this house: one quote,
 * statements at the line's beginning.
 */
export function readImports(file: string, source: string): Import[] {
  const code = withoutComments(source)
  const found: Import[] = [...code.matchAll(STATEMENT)].map(([, type, specifier]) => ({
    target: resolveTarget(file, specifier!),
    typeOnly: type !== undefined,
  }))
  for (const [, specifier] of code.matchAll(CALL))
    found.push({ target: resolveTarget(file, specifier!), typeOnly: false })
  for (const [, address] of code.matchAll(ADDRESS)) {
    const target = resolveTarget(file, address!)
    if (/\.(ts|js)$|\/[\w-]+$/.test(target))
      found.push({ target: target.replace(/(\.ts|\.js)?$/, '.ts'), typeOnly: false })
  }
  return found
}

export function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}

function resolveTarget(file: string, specifier: string): string {
  return specifier.startsWith('.') ? `./${posix.join(posix.dirname(file), specifier)}` : specifier
}
