import { DAY_MS } from '../../calendar/days.ts'
import { findPerson, refuseDuplicate, samePhone } from '../commerce/duplicates.ts'
import { memberLimits } from '../commerce/limits.ts'
import { referralLabel } from '../commerce/referral-label.ts'
import { recordsOf, textOf } from '../commerce/values.ts'
import { emit } from '../events/emit.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { EVERYTHING, readLastDays, readMilliseconds, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber, merge, withoutOwn } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { OtherAnswer, dateRules, list, single } from './route.ts'

/** Documented defaults of Member that the create request does not have. */
const DEFAULTS: JsonRecord = {
  status: 'Inactive',
  sex: 'OTHER',
  textOptIn: true,
  eligibleForFTMPromos: true,
  banPatient: false,
  loyaltyPoints: 0,
  lifetimePoints: 0,
  addresses: [],
  notes: [],
  identifications: [],
  recommendations: [],
  tags: [],
  metadata: [],
}

const numberOf = (call: Call): number =>
  findNumber(call.world.lists.members, call.params['memberId']!, 'memberId')

/** What follows from what was sent: the form of a phone number and the words to search by. */
function derived(member: JsonRecord): JsonRecord {
  const [first, last, phone, email] = ['firstName', 'lastName', 'primaryPhone', 'email'].map(
    field => textOf(member[field]) ?? '',
  )
  return {
    searchText: `${first!} ${last!} ${phone!} ${email!}`.trim().toLowerCase(),
    ...(phone === '' ? {} : { cpn: phone }),
  }
}

const create: Route['answer'] = call => {
  const { members } = call.world.lists
  refuseDuplicate(members, withoutOwn(call.body))
  const { banned, ...sent } = withoutOwn(call.exact)
  const id = members.insert(
    {
      ...DEFAULTS,
      ...sent,
      banPatient: banned === true,
      lifetimePoints: sent['loyaltyPoints'] ?? 0,
      ...derived(call.body),
    },
    call.nowMs,
  )
  emit(call, 'NEW_MEMBER', members, id)
  return members.text(members.find(id)!)
}

/** Reading: what is left out stays. */
const update = (call: Call, patch: JsonRecord): string => {
  const { members } = call.world.lists
  const number = numberOf(call)
  const text = merge(members, number, patch, call.nowMs)
  emit(call, 'UPDATE_MEMBER', members, members.idOf(number))
  return text
}

/** Members whose JSON holds `hint` and that match. */
const search = (
  call: Call,
  hint: string | undefined,
  matches: (member: JsonRecord) => boolean,
): Buffer =>
  list(call, {
    collection: call.world.lists.members,
    range: EVERYTHING,
    sortedBy: 'modified',
    ...(hint === undefined ? {} : { hint }),
    matches: member => member['deleted'] !== true && matches(member),
  })

/**
 * Epoch milliseconds, at most 7 days. Reading: `/days` counts days of the store's zone, today
 * included.
 */

/** A list of entries, an object that holds one, or a single entry. */
function readMetadata({ items, exact }: Call): unknown {
  if (items.length > 0) return items
  return Array.isArray(exact['metadata']) ? exact['metadata'] : [exact]
}

export const memberRoutes: readonly Route[] = [
  play('listMembers', call =>
    list(call, {
      collection: call.world.lists.members,
      range: readMilliseconds(call.query, dateRules(call, { limited: true })),
      sortedBy: 'modified',
    }),
  ),
  play('listMembersByDays', call => {
    const range = readLastDays(call.query, call.world.shop.timeZone, call.nowMs)
    if (range === undefined) throw invalid('days', 'days is required')
    return list(call, { collection: call.world.lists.members, range, sortedBy: 'modified' })
  }),
  play('searchMembers', call => {
    const licence = readText(call.query, 'licenseNumber')
    if (licence === undefined) throw invalid('licenseNumber', 'licenseNumber is required')
    return search(call, undefined, member =>
      recordsOf(member['identifications']).some(
        card => textOf(card['licenseNumber'])?.toLowerCase() === licence.toLowerCase(),
      ),
    )
  }),
  play('searchMembersByDob', call => {
    const dob = Number(readText(call.query, 'dob') ?? Number.NaN)
    if (!Number.isInteger(dob)) throw invalid('dob', 'dob must be epoch milliseconds')
    return search(
      call,
      '"dob":',
      member =>
        typeof member['dob'] === 'number' &&
        Math.floor(member['dob'] / DAY_MS) === Math.floor(dob / DAY_MS),
    )
  }),
  play('searchMembersByPhone', call => {
    const phone = samePhone(
      readText(call.query, 'phone') ?? readText(call.query, 'phoneNumber') ?? '',
    )
    if (phone === '') throw invalid('phone', 'phone is required')
    return search(call, '"primaryPhone":', member => samePhone(member['primaryPhone']) === phone)
  }),
  play('getMemberByEmail', call => {
    const { members } = call.world.lists
    const number = findPerson(members, { email: call.params['email'] })
    if (number === undefined) throw notFound('email', 'There is no member with this email')
    return members.text(number)
  }),
  play('createMember', create),
  play('getMember', call => single(call.world.lists.members, call.params['memberId']!, 'memberId')),
  play(
    'updateMember',
    call => {
      const known = call.world.lists.members.read(numberOf(call))
      const after = { ...known, ...withoutOwn(call.body) }
      for (const field of ['firstName', 'lastName'])
        if (textOf(after[field]) === undefined) throw invalid(field, `${field} is required`)
      const moved = ['email', 'primaryPhone'].filter(field => after[field] !== known[field])
      if (moved.length > 0)
        refuseDuplicate(call.world.lists.members, {
          id: known['id'],
          ...Object.fromEntries(moved.map(field => [field, after[field]])),
        })
      return update(call, { ...call.exact, ...derived(after) })
    },
    { merges: true },
  ),
  play('updateMemberMetadata', call => update(call, { metadata: readMetadata(call) })),
  play('getMemberLimits', call =>
    memberLimits(call, call.world.lists.members.read(numberOf(call)), false),
  ),
  play('getMemberRemainingLimits', call =>
    memberLimits(call, call.world.lists.members.read(numberOf(call)), true),
  ),
  play('getMemberReferralQr', call => {
    const { members } = call.world.lists
    const asked = call.params['consumerMemberId']!
    const member =
      members.get(asked) ??
      members.get(String(call.world.lists.consumer_users.get(asked)?.['memberId']))
    if (member === undefined) throw notFound('consumerMemberId', 'There is no such member')
    return new OtherAnswer({
      type: 'image/png',
      body: referralLabel(String(member['referralCode'] ?? member['id'])),
    })
  }),
]
