import { ServiceError } from '@temporalio/client'
import { expect, it } from 'vitest'
import { asTemporalError } from '../../temporal/server-error.ts'

it('what the server could not do is told with its reason and what to do', () => {
  const reason = Object.assign(new Error('14 UNAVAILABLE'), {
    code: 14,
    details: 'database or disk is full',
    metadata: {},
  })
  const error = new ServiceError('Failed to get Workflow execution history', { cause: reason })
  expect(asTemporalError(error)).toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: expect.stringContaining('database or disk is full') as string,
    remedy: expect.stringContaining('disk is not full') as string,
  })
  expect(asTemporalError(new ServiceError('without a cause'))).toMatchObject({
    message: expect.stringContaining('without a cause') as string,
  })
})

it('an error of somebody else stays as it is', () => {
  const bug = new TypeError('x is not a function')
  expect(asTemporalError(bug)).toBe(bug)
})
