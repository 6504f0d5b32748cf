import { expect, it } from 'vitest'
import { PartnerError, UsageError } from '../errors.ts'
import { mask, rememberSecret, withoutSecrets } from '../secrets.ts'

it('takes a key that was read out of every error, however it was written down', () => {
  const key = 'k3y/of+letters&more'
  rememberSecret(key)
  const echoed = [
    key,
    key.toUpperCase(),
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
  ]
  for (const text of echoed) {
    const error = new PartnerError('PARTNER_REFUSED', `the API said ${text}`, {
      remedy: `look for ${text}`,
    })
    expect([error.message, error.remedy]).toEqual(['the API said ***', 'look for ***'])
    expect(error.stack).not.toContain(text)
    expect(new UsageError(`there is no ${text}`).message).toBe('there is no ***')
  }
})

it('leaves words alone: a key of a few letters would blank them everywhere', () => {
  rememberSecret('developer')
  expect(withoutSecrets('the developer key is refused')).toBe('the developer key is refused')
})

it('masks a secret in a text, in either case, and leaves the rest', () => {
  expect(mask('key a.b and aXb and A.B', ['a.b'])).toBe('key *** and aXb and ***')
  expect(mask('nothing', ['', 'other'])).toBe('nothing')
})

it('masks the longest first, so that no end of a key is left', () => {
  expect(mask('abcdefghijkl-and-more', ['abcdefghijkl', 'abcdefghijkl-and-more'])).toBe('***')
})
