import { expect, it } from 'vitest'
import { PartnerError } from '../../errors.ts'
import { outcomeOf } from '../../outbound/outcome.ts'

const refusedWith = (status: number): unknown =>
  outcomeOf(new PartnerError('PARTNER_REFUSED', 'refused', { refused: { status, shape: '' } }))

it('a refusal is believed at once, looked for first, or taken for an unknown outcome', () => {
  for (const status of [400, 403, 404, 405, 410])
    expect(refusedWith(status)).toEqual({ kind: 'rejected', why: 'PARTNER_REFUSED: refused' })
  for (const status of [402, 406, 411, 412, 413, 415, 422, 423, 451])
    expect(refusedWith(status)).toMatchObject({ kind: 'rejected', isDoubtful: true })
  for (const status of [408, 409, 425, 500, 302])
    expect(refusedWith(status)).toMatchObject({ kind: 'unknown' })
})

it('a request that never left was not taken, and an error of ours is not an outcome', () => {
  const never = new PartnerError('PARTNER_UNREACHABLE', 'gone', { wasNeverSent: true })
  const lost = new PartnerError('PARTNER_UNREACHABLE', 'gone')
  expect([never, lost].map(error => outcomeOf(error).kind)).toEqual(['not taken', 'unknown'])
  expect(() => outcomeOf(new TypeError('a bug'))).toThrow('a bug')
})
