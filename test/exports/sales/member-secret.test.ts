import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memberSecret, memberSecretPath } from '../../../exports/sales/member-secret.ts'

const KEYS = ['partner key', 'developer key of one', 'partner key', 'developer key of two']

describe('the secret of member keys', () => {
  let folder = ''
  const database = (name: string): string => join(folder, `${name}.db`)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillage-secret-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is the same for two databases of the same stores, whatever their order', () => {
    expect(memberSecret(database('one'), KEYS)).toBe(
      memberSecret(database('two'), [...KEYS].reverse()),
    )
    expect(memberSecret(database('three'), ['partner key', 'another developer key'])).not.toBe(
      memberSecret(database('one'), KEYS),
    )
  })

  it('outlives keys that are renewed', () => {
    expect(memberSecret(database('one'), KEYS)).toBe(memberSecret(database('one'), ['a new key']))
  })

  it('is for its owner alone, and holds no key', () => {
    memberSecret(database('one'), KEYS)
    const path = memberSecretPath(database('one'))
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })
})
