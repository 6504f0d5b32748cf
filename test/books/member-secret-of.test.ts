import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memberSecretOf } from '../../books/member-secret-of.ts'
import { memberSecretPath } from '../../exports/sales/member-secret.ts'

const storeWith = (developerKey: string) => ({ partnerKey: 'partner key', developerKey })
const STORES = [storeWith('developer key of one'), storeWith('developer key of two')]

describe('the secret of member keys', () => {
  let folder = ''
  const path = (name: string): string => join(folder, `${name}.db`)
  const secretOf = (name: string, stores = STORES): Promise<string> =>
    memberSecretOf({ database: path(name), localFiles: path(name), stores })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillage-secret-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is the same for two databases of the same stores, whatever their order', async () => {
    expect(await secretOf('one')).toBe(await secretOf('two', STORES.toReversed()))
    expect(await secretOf('three', [storeWith('another developer key')])).not.toBe(
      await secretOf('one'),
    )
  })

  it('outlives keys that are renewed', async () => {
    expect(await secretOf('one')).toBe(await secretOf('one', [storeWith('a new key')]))
  })

  it('is for its owner alone, and holds no key', async () => {
    await secretOf('one')
    const kept = memberSecretPath(path('one'))
    expect(statSync(kept).mode & 0o077).toBe(0)
    expect(readFileSync(kept, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })
})
