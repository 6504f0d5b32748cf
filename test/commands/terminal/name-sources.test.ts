import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { nameSources } from '../../../commands/terminal/name-sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-sources-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'two sources.js')
const url = pathToFileURL(file).href
writeFileSync(
  file,
  [
    'import "x"',
    '// reading/prove.ts',
    'const a = 1',
    '// a remark of two words.ts',
    'a()',
    '// node_modules/y/z.js',
    'b()',
  ].join('\n'),
)

test('a place in a file made of many sources is named by the source above it', () => {
  const stack = `Error: no\n    at prove (${url}:5:3)\n    at async ${url}:7:1`
  expect(nameSources(stack)).toBe(
    `Error: no\n    at prove (reading/prove.ts, ${url}:5:3)\n    at async node_modules/y/z.js, ${url}:7:1`,
  )
})

test('a place above all sources, in a source or in a file that is gone stays as it is', () => {
  const stack = [`${url}:1:1`, 'file:///w/cli.ts:1:1', `${url}.gone.js:3:1`, 'node:fs:3:1'].join(
    '\n',
  )
  expect(nameSources(stack)).toBe(stack)
})
