import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** Rules of `.oxlintrc.json` that limit how much a reader has to hold in mind. */
export const LIMIT_RULES = [
  'max-lines',
  'max-params',
  'complexity',
  'no-nested-ternary',
  'import/consistent-type-specifier-style',
  'import/no-cycle',
] as const

/** Of a function without the functions inside it, which count on their own. */
const FUNCTION_LINES = 40

interface LintConfiguration {
  rules: Record<string, unknown>
  overrides: { files: string[]; rules: Record<string, unknown> }[]
}

const configuration = JSON.parse(
  readFileSync('.oxlintrc.json', 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''),
) as LintConfiguration

/** Globs of what may still exceed the limits: the override that switches every one of them off. */
export const EXEMPT: readonly string[] =
  configuration.overrides.find(({ rules }) => LIMIT_RULES.every(rule => rules[rule] === 'off'))
    ?.files ?? []

/** Functions that are too long: `file:line name has 41 lines`. */
export function findLongFunctions(file: string, source: string): string[] {
  const lineStarts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineOf = (offset: number): number => lineStarts.findLastIndex(start => start <= offset)
  const found: string[] = []
  const open: { nested: number }[] = []
  const enter = (): void => void open.push({ nested: 0 })
  const leave = (node: { start: number; end: number; id?: { name: string } | null }): void => {
    const lines = lineOf(node.end) - lineOf(node.start) + 1
    const own = lines - open.pop()!.nested
    // The line on which it begins belongs to the function around it, too.
    if (open.length > 0) open.at(-1)!.nested += lines - 1
    if (own > FUNCTION_LINES)
      found.push(`${file}:${lineOf(node.start) + 1} ${node.id?.name ?? ''} has ${own} lines`)
  }
  const visitor = new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    'FunctionDeclaration:exit': leave,
    'FunctionExpression:exit': leave,
    'ArrowFunctionExpression:exit': leave,
  })
  visitor.visit(parseSync(file, source).program)
  return found
}

/** Columns of a line that is a comment; the formatter keeps code within as many. */
const COMMENT_COLUMNS = 100

/** Comments that are too wide: `file:line has 101 columns`. */
export const findWideComments = (file: string, source: string): string[] =>
  source.split('\n').flatMap((line, index) => {
    const columns = [...line].length
    const isComment = /^\s*(\/\/|\/?\*)/.test(line)
    return isComment && columns > COMMENT_COLUMNS
      ? [`${file}:${index + 1} has ${columns} columns`]
      : []
  })

/** What oxlint's limits, and no others of its rules, say about files: `file rule`. */
export function findLimitBreaches(files: readonly string[], cwd = process.cwd()): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-limits-'))
  const limits = join(folder, 'limits.json')
  const rules = Object.fromEntries(LIMIT_RULES.map(rule => [rule, configuration.rules[rule]]))
  const categories = { correctness: 'off' }
  writeFileSync(limits, JSON.stringify({ plugins: ['import'], categories, rules }))
  try {
    const said = runOxlint(['--config', limits, '--format', 'json', ...files], cwd)
    const { diagnostics } = JSON.parse(said) as {
      diagnostics: { filename: string; code: string }[]
    }
    return diagnostics.map(({ filename, code }) => `${filename} ${code}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Its status is 1 where it finds something. */
function runOxlint(args: readonly string[], cwd: string): string {
  const program = join(import.meta.dirname, '../../node_modules/oxlint/bin/oxlint')
  try {
    return execFileSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}
