import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FINDINGS } from '../../connectors/findings.ts'

const sources = globSync('{reading,connectors,activities,exports}/**/*.ts')
  .filter(file => !file.endsWith('connectors/findings.ts'))
  .map(file => readFileSync(file, 'utf8'))

it('declares no finding that nothing makes', () => {
  const made = (code: string): boolean => sources.some(source => source.includes(`'${code}'`))
  expect(Object.keys(FINDINGS).filter(code => !made(code))).toEqual([])
  expect(made('rows_are_purple')).toBe(false)
})

it('says of each finding what it means and what to do, in sentences', () => {
  for (const { means, remedy } of Object.values(FINDINGS)) {
    expect(means).toMatch(/^[A-Z].*\.$/)
    expect(remedy).toMatch(/^[A-Z`].*\.$/)
  }
})
