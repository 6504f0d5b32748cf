import { expect, it } from 'vitest'
import { mayReconcile } from '../../audit/take-snapshot.ts'
import { PartnerError } from '../../errors.ts'

it('a key may reconcile where it may read the history; what else goes wrong says nothing of that', async () => {
  const failing = (reason: Error) => () => Promise.reject(reason)
  expect(await mayReconcile(() => Promise.resolve([]))).toBe(true)
  expect(await mayReconcile(failing(new PartnerError('PARTNER_PERMISSION', 'no')))).toBe(false)
  await expect(mayReconcile(failing(new PartnerError('PARTNER_KEYS', 'no')))).rejects.toThrow('no')
  await expect(mayReconcile(failing(new Error('oh')))).rejects.toThrow('oh')
})
