import { describe, expect, it } from 'vitest'
import { findOperation, nearest } from '../../../commands/api/find-operation.ts'
import { operations } from '../../../connectors/partner/contract/index.ts'

describe('the search for an operation', () => {
  it('finds each of the documentation, and prefers words to parameters', () => {
    for (const { id, method, path } of operations)
      expect(findOperation(operations, method, path).operation.id).toBe(id)
    expect(findOperation(operations, 'GET', '/members/days').operation.id).toBe('listMembersByDays')
    expect(findOperation(operations, 'GET', '/members/d').operation.id).toBe('getMember')
    expect(findOperation(operations, 'GET', '/public/inventory/products').operation.id).toBe(
      'searchPublicProducts',
    )
  })

  it('names the nearest ones when there is none', () => {
    expect(nearest(operations, 'GET', '/trasnactions').map(({ path }) => path)).toContain(
      '/api/v1/partner/transactions',
    )
    expect(nearest(operations, 'PATCH', '/vendors/v1').map(({ path }) => path)).toContain(
      '/api/v1/partner/vendors/{vendorId}',
    )
  })
})
