import { scryptSync, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { parseExactly } from '../values/money.ts'
import { mix, mixText } from '../values/random.ts'
import type { Contact } from './duplicates.ts'
import { findPerson, sameEmail } from './duplicates.ts'

/** Reading: how long a login lasts. */
export const SESSION_MS = 24 * 3_600_000

/** Documented defaults of ConsumerUser. */
export const CONSUMER_DEFAULTS: JsonRecord = {
  medical: false,
  accepted: false,
  active: true,
  verified: false,
  verifyMethod: 'Website',
  notificationType: 'Email',
  consumerType: 'AdultUse',
  source: 'Ext1',
  memberIds: [],
  memberStatuses: [],
  signedContracts: [],
  addresses: [],
}

/**
 * The number of the consumer that a request is for: by `X-Auth-Token`, which wins, or by `cuid`.
 * Undefined for guests; 401 for a token or id that is not valid.
 */
export function consumerNumber(call: Call): number | undefined {
  const { sessions, consumer_users: consumers } = call.world.lists
  if (call.authToken !== undefined) {
    const [session] = sessions.where('token', call.authToken)
    const { consumerId, expirationTime } = session === undefined ? {} : sessions.read(session)
    const number =
      typeof consumerId === 'string' && Number(expirationTime) > call.nowMs
        ? consumers.find(consumerId)
        : undefined
    if (number === undefined)
      throw new ApiError(401, 'X-Auth-Token', 'The access token is not valid')
    return number
  }
  if (call.cuid === undefined) return undefined
  const number = consumers.find(call.cuid)
  if (number === undefined || consumers.read(number)['active'] === false)
    throw new ApiError(401, 'cuid', 'There is no such consumer user')
  return number
}

/** The same where guests are not served (Authentication, rule 4). */
export function needConsumer(call: Call): number {
  const number = consumerNumber(call)
  if (number === undefined)
    throw new ApiError(401, 'cuid', 'This needs a consumer user: send cuid or X-Auth-Token')
  return number
}

/** As it is answered: never with its password. */
export function consumerAnswer({ world }: Call, number: number): JsonRecord {
  const { password: _, ...answer } = parseExactly(
    world.lists.consumer_users.text(number),
  ) as JsonRecord
  return answer
}

export const findConsumer = ({ world }: Call, by: Contact): number | undefined =>
  findPerson(world.lists.consumer_users, by)

const hash = (password: string, salt: string): Buffer =>
  scryptSync(password, salt, 32, { cost: 1024 })

export const hashPassword = (password: string, email: string): string =>
  hash(password, sameEmail(email)).toString('base64')

export function isPassword(password: string, consumer: JsonRecord): boolean {
  const stored = Buffer.from(
    typeof consumer['password'] === 'string' ? consumer['password'] : '',
    'base64',
  )
  const given = hash(password, sameEmail(String(consumer['email'])))
  return stored.length === given.length && timingSafeEqual(stored, given)
}

/** Opens a session and returns its token: as hard to guess as the seed is. */
export function openSession(
  { world, nowMs }: Call,
  consumerId: string,
): { token: string; sessionId: string; expirationTime: number } {
  const { sessions } = world.lists
  const sessionId = sessions.idOf(sessions.nextNumber)
  const token = [1, 2, 3, 4, 5]
    .map(part =>
      mix(mixText(world.shop.seed ^ part, sessionId), nowMs | 0)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  const expirationTime = nowMs + SESSION_MS
  sessions.insert({ id: sessionId, token, consumerId, expirationTime }, nowMs)
  return { token, sessionId, expirationTime }
}
