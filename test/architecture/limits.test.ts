import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, read } from './files.ts'
import { EXEMPT, findLimitBreaches, findLongFunctions, findWideComments } from './limits.ts'

describe('limits of what a reader has to hold in mind', () => {
  const exempt = (file: string): boolean => EXEMPT.some(glob => matchesGlob(file, glob))
  const limited = files.filter(file => !file.startsWith('test/'))
  const longFunctions = limited.flatMap(file =>
    findLongFunctions(file, read(file)).map(found => ({ file, found })),
  )

  it('keeps functions within 40 lines, not counting the functions inside them', () => {
    const found = longFunctions.filter(({ file }) => !exempt(file))
    expect(found.map(({ found: text }) => text)).toEqual([])
  })

  it('reports a function that is too long, and no factory of short ones', () => {
    const body = (lines: number): string => 'step()\n'.repeat(lines)
    expect(findLongFunctions('a.ts', `function go() {\n${body(38)}}`)).toEqual([])
    expect(findLongFunctions('a.ts', `function go() {\n${body(39)}}`)).toEqual([
      'a.ts:1 go has 41 lines',
    ])
    expect(findLongFunctions('a.ts', `const go = () => {\n${body(39)}}`)).toHaveLength(1)
    expect(findLongFunctions('a.ts', `class A { go() {\n${body(39)}} }`)).toHaveLength(1)
    const inner = `  function inner() {\n${body(30)}}\n`
    expect(findLongFunctions('a.ts', `function make() {\n${inner.repeat(3)}}`)).toEqual([])
    const long = `  function inner() {\n${body(40)}}\n`
    expect(findLongFunctions('a.ts', `function make() {\n${inner}${long}}`)).toEqual([
      'a.ts:34 inner has 42 lines',
    ])
  })

  it('keeps comments within 100 columns, which the formatter leaves alone', () => {
    expect(files.flatMap(file => findWideComments(file, read(file)))).toEqual([])
  })

  it('reports a comment that is too wide, however it begins', () => {
    const text = 'x'.repeat(97)
    expect(findWideComments('a.ts', `// ${text}\nconst wide = '${text}'`)).toEqual([])
    expect(findWideComments('a.ts', `\n// ${text}y`)).toEqual(['a.ts:2 has 101 columns'])
    expect(findWideComments('a.ts', `  // ${text}`)).toHaveLength(1)
    expect(findWideComments('a.ts', ` * ${text}y`)).toHaveLength(1)
    expect(findWideComments('a.ts', `/** ${text} */`)).toHaveLength(1)
  })

  it('has no exemption that nothing needs any more', () => {
    const breaches = [...findLimitBreaches(limited), ...longFunctions.map(({ file }) => file)]
    const breaking = breaches.map(breach => breach.split(' ')[0]!)
    const needed = EXEMPT.filter(glob => breaking.some(file => matchesGlob(file, glob)))
    expect(EXEMPT, 'take the others out of .oxlintrc.json').toEqual(needed)
  })

  it.each([
    ['eslint(max-lines)', 'step()\n'.repeat(401)],
    ['eslint(max-params)', 'export function go(a, b, c, d, e) {}'],
    ['eslint(complexity)', `export const go = a => ${'a || '.repeat(10)}a`],
    ['eslint(no-nested-ternary)', 'export const go = a => (a ? 1 : a === 0 ? 2 : 3)'],
    [
      'import(consistent-type-specifier-style)',
      "import { type A } from './a.ts'\nexport type B = A",
    ],
    ['import(no-cycle)', "import { go } from './other.ts'\nexport type Breach = typeof go"],
    ['import(no-cycle)', "import type { go } from './other.ts'\nexport type Breach = typeof go"],
  ])('reports a breach of %s', (rule, source) => {
    const folder = mkdtempSync(join(tmpdir(), 'tillage-breach-'))
    writeFileSync(join(folder, 'breach.ts'), source)
    const back =
      "import type { Breach } from './breach.ts'\nexport const go = (breach: Breach) => breach"
    writeFileSync(join(folder, 'other.ts'), back)
    expect(findLimitBreaches(['breach.ts'], folder)).toEqual([`breach.ts ${rule}`])
    rmSync(folder, { recursive: true })
  })
})
