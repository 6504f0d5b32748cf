import type { IncomingHttpHeaders } from 'node:http'
import type { State } from '../model/state.ts'
import type { World } from '../model/world.ts'
import { ApiError } from './api-error.ts'

/**
 * Both headers on every request (Authentication, rule 1): the partner key as `x-api-key` (or
 * `partner_key`, the name in the machine-readable description), the developer key as
 * `Authorization` without a scheme. Reading: 401 if one is missing or wrong, before anything else
 * is looked at.
 */
export function authenticate(
  state: State,
  headers: IncomingHttpHeaders,
): { world: World; permissions: readonly string[] } {
  const partnerKey = headers['x-api-key'] ?? headers['partner_key']
  if (partnerKey === undefined) throw new ApiError(401, 'x-api-key', 'The partner key is missing')
  const partner = state.partnerKeys.find(({ key }) => key === partnerKey)
  if (partner === undefined) throw new ApiError(401, 'x-api-key', 'Invalid partner key')
  if (headers.authorization === undefined)
    throw new ApiError(401, 'Authorization', 'The developer key is missing')
  const world = state.byDeveloperKey.get(headers.authorization)
  if (world === undefined) throw new ApiError(401, 'Authorization', 'Invalid developer key')
  return { world, permissions: partner.permissions }
}
