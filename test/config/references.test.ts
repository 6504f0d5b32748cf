import { describe, expect, it } from 'vitest'
import { load, problemsOf, STORE, makeFolder } from './loading.ts'

makeFolder()

describe('references', () => {
  it('inside of what they refer to, and that unfold without end, are explained', () => {
    expect(problemsOf('stores: &a\n  - id: x\n    more: *a')).toEqual([
      'a reference (*) is inside what it refers to (&), so it never ends',
    ])
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefg'].map((name, at, all) =>
      at === 0 ? name : `${name}: &${name} [${`*${all[at - 1]![0]},`.repeat(9)}]`,
    )
    expect(problemsOf(bomb.join('\n'))[0]).toContain('unfold to more than a configuration can hold')
  })

  it('that are honest are taken', () => {
    const { stores } = load(`stores:${STORE}\n    limits: &l { concurrency: 2 }`)
    expect(stores[0]?.limits.concurrency).toBe(2)
  })
})
