import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildRequest } from '../../../connectors/partner/build-request.ts'
import {
  operation as getOperation,
  operations,
} from '../../../connectors/partner/contract/index.ts'
import type { OperationId } from '../../../connectors/partner/contract/index.ts'
import { pathParameters } from '../../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../../connectors/partner/contract/operation.ts'

describe('a request', () => {
  it('cannot leave its path, whatever its parameters hold', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          ...operations.filter(({ path }) => path.includes('{')).map(({ id }) => id as OperationId),
        ),
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.constantFrom('../x', '...', 'a/b', '?a=b', '#', '%2e%2e', 'ä'),
        ),
        (id, value) => {
          fc.pre(!/^\.{1,2}$/.test(value))
          const operation = getOperation(id) as Operation
          const { path } = buildRequest(operation, {
            parameters: Object.fromEntries(
              pathParameters(operation.path).map(name => [name, value]),
            ),
          })
          const url = new URL(path, 'http://partner.example')
          const segments = url.pathname.split('/')
          expect(segments).toHaveLength(operation.path.split('/').length)
          expect([url.search, url.hash]).toEqual(['', ''])
        },
      ),
    )
  })

  it('is not built without a parameter of its path', () => {
    for (const operation of operations.filter(({ path }) => path.includes('{'))) {
      for (const value of [undefined, '', '.', '..'])
        expect(() =>
          buildRequest(operation, {
            parameters: Object.fromEntries(
              pathParameters(operation.path).map(name => [name, value]),
            ),
          }),
        ).toThrow(`${operation.id} needs the parameter`)
    }
  })
})
