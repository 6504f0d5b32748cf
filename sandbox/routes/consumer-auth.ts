import {
  CONSUMER_DEFAULTS,
  consumerAnswer,
  findConsumer,
  hashPassword,
  isPassword,
  openSession,
} from '../commerce/consumers.ts'
import { findPerson } from '../commerce/duplicates.ts'
import { textOf } from '../commerce/values.ts'
import { emit } from '../events/emit.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import { readText } from '../http/parameters.ts'
import { findNumber } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { OtherAnswer } from './route.ts'

/**
 * Reading: one email, one consumer; the phone number may be shared. A member with either is the
 * same person.
 */
const register: Route['answer'] = call => {
  const { body, exact, world, nowMs } = call
  const { consumer_users: consumers } = world.lists
  const email = textOf(body['email']) ?? ''
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid('email', 'email must be an email address')
  if (findConsumer(call, { email }) !== undefined)
    throw new ApiError(
      400,
      'email',
      'A consumer user with this email exists already',
      'partner.exceptions.DuplicateUserException',
    )
  const { phoneNumber, contractId, password, agreement: _, ...rest } = exact
  const phone = textOf(phoneNumber)
  const member = findPerson(world.lists.members, { email, phone })
  const memberId = member === undefined ? undefined : world.lists.members.idOf(member)
  const id = consumers.insert(
    {
      ...CONSUMER_DEFAULTS,
      ...rest,
      ...(phone === undefined ? {} : { primaryPhone: phone, cpn: phone }),
      ...(typeof password === 'string' ? { password: hashPassword(password, email) } : {}),
      sourceCompanyId: world.shop.companyId,
      searchText: `${String(rest['firstName'])} ${String(rest['lastName'])} ${email}`.toLowerCase(),
      ...(memberId === undefined ? {} : { memberId, memberIds: [memberId] }),
      ...(contractId === undefined ? {} : { signedContracts: [{ contractId, signedDate: nowMs }] }),
    },
    nowMs,
  )
  emit(call, 'NEW_CONSUMER_SIGNUP', consumers, id)
  return consumerAnswer(call, consumers.find(id)!)
}

/**
 * The token is in the answer and in `X-Auth-Token` (Authentication, rule 6). One refusal for both
 * mistakes: it tells nobody who has an account.
 */
const login: Route['answer'] = call => {
  const { consumer_users: consumers } = call.world.lists
  const number = findConsumer(call, { email: textOf(call.body['email']) })
  const consumer = number === undefined ? undefined : consumers.read(number)
  if (
    number === undefined ||
    consumer === undefined ||
    consumer['active'] === false ||
    !isPassword(String(call.body['password']), consumer)
  )
    throw new ApiError(401, 'password', 'Email or password is wrong')
  const { token, sessionId, expirationTime } = openSession(call, String(consumer['id']))
  const body = JSON.stringify({
    accessToken: token,
    assetAccessToken: token,
    sessionId,
    user: consumerAnswer(call, number),
    loginTime: call.nowMs,
    expirationTime,
  })
  return new OtherAnswer({
    type: 'application/json; charset=utf-8',
    body,
    headers: { 'x-auth-token': token },
  })
}

function find(call: Call): object {
  const [email, phone] = [readText(call.query, 'email'), readText(call.query, 'phoneNumber')]
  if (email === undefined && phone === undefined)
    throw invalid('email', 'email or phoneNumber is required')
  const number = findConsumer(call, { email, phone })
  if (number === undefined)
    throw notFound(email === undefined ? 'phoneNumber' : 'email', 'There is no such consumer user')
  return consumerAnswer(call, number)
}

export const consumerAuthRoutes: readonly Route[] = [
  play('registerConsumer', register),
  play('loginConsumer', login),
  play('findConsumer', find),
  play('getConsumer', call =>
    consumerAnswer(call, findNumber(call.world.lists.consumer_users, call.params['cuid']!, 'cuid')),
  ),
]
