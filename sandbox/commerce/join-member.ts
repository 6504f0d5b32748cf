import { emit } from '../events/emit.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { findPerson } from './duplicates.ts'
import { textOf } from './values.ts'

/**
 * The member behind an order. Reading: a consumer without one is matched by email or phone number,
 * or joins now.
 */
export function joinMember(call: Call, cart: JsonRecord): string | undefined {
  const { members, consumer_users: consumers } = call.world.lists
  const consumerId = textOf(cart['consumerId'])
  const number = consumerId === undefined ? undefined : consumers.find(consumerId)
  const known = textOf(cart['memberId'])
  if (known !== undefined || number === undefined) return known
  const consumer = consumers.read(number)
  const memberId = matchMember(call, consumer) ?? join(call, consumer)
  consumers.edit(
    number,
    {
      memberId,
      memberIds: [memberId],
      memberStatuses: [{ memberId, status: members.get(memberId)!['status'] }],
    },
    call.nowMs,
  )
  return memberId
}

function matchMember({ world }: Call, consumer: JsonRecord): string | undefined {
  const { members } = world.lists
  const known = textOf(consumer['memberId'])
  if (known !== undefined) return known
  const { email, primaryPhone: phone } = consumer
  const match = findPerson(members, { email, phone })
  return match === undefined ? undefined : members.idOf(match)
}

function join(call: Call, consumer: JsonRecord): string {
  const { members } = call.world.lists
  const { id, firstName, lastName, email, primaryPhone, consumerType = 'AdultUse', dob } = consumer
  const memberId = members.insert(
    {
      firstName,
      lastName,
      email,
      primaryPhone,
      dob,
      consumerType,
      consumerUserId: id,
      status: 'Inactive',
      textOptIn: true,
      emailOptIn: true,
      enableLoyalty: true,
      loyaltyPoints: 0,
      lifetimePoints: 0,
    },
    call.nowMs,
  )
  emit(call, 'NEW_MEMBER', members, memberId)
  return memberId
}
