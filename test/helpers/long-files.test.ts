import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONG_FILES, PARTS, leftOutBy, partOf, partOfRun } from './long-files.ts'

const parts = Array.from({ length: PARTS }, (_, part) => part)

test('every long file is there, once, and played by exactly one part', () => {
  const played = LONG_FILES.map(name => {
    const path = `test/${name}.test.ts`
    expect(existsSync(path), path).toBe(true)
    return parts.filter(part => !leftOutBy(part).includes(path)).length
  })
  expect(played).toEqual(LONG_FILES.map(() => 1))
  expect(new Set(LONG_FILES).size).toBe(LONG_FILES.length)
})

test('each commit plays one part, whatever its hash, and each part has its commits', () => {
  const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40 })
  fc.assert(fc.property(hash, commit => parts.includes(partOf(commit))))
  expect(parts.map(last => partOf(`0000000${last}`))).toEqual(parts)
})

test('whoever does not ask for the part of a commit gets all files', () => {
  expect(leftOutBy(partOfRun('test'))).toEqual([])
  expect(leftOutBy(partOfRun('long'))).toEqual([])
  expect(leftOutBy(0)).not.toEqual([])
})
