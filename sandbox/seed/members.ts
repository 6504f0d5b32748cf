import { DAY_MS, monthFirst, toIso } from '../../calendar/days.ts'
import { makeIds } from '../values/ids.ts'
import { decimal } from '../values/money.ts'
import { Dice, mix } from '../values/random.ts'
import { addressRecord, slug } from './catalog-records.ts'
import { ID_TAGS } from './catalog.ts'
import { FIRST_NAMES, LAST_NAMES } from './names.ts'
import type { Shop } from './stores.ts'

export interface Member {
  id: string
  number: number
  firstName: string
  lastName: string
  consumerType: 'AdultUse' | 'MedicinalState' | 'MedicinalThirdParty'
  created: number
  modified: number
}

export interface Members {
  all: readonly Member[]
  /** How many had joined by a moment; members are numbered in order of joining. */
  joinedBy(ms: number): number
}

const MEMBERS = 1500
/** Two thirds joined in the two years before the seeded days, the rest during them. */
export function makeMembers(shop: Shop): Members {
  const dice = new Dice(mix(shop.seed, 0x3e3b))
  const ids = makeIds(shop.seed, ID_TAGS.member)
  const { startMs, endMs } = shop.timeline
  const created = Array.from({ length: MEMBERS }, (_, at) =>
    at < MEMBERS * 0.66
      ? startMs - 1 - dice.below(730 * DAY_MS)
      : shop.timeline.momentAfter(startMs, dice),
  )
  created.sort((a, b) => a - b)
  const all = created.map((createdMs, number): Member => ({
    id: ids.of(number),
    number,
    firstName: dice.pick(FIRST_NAMES),
    lastName: dice.pick(LAST_NAMES),
    consumerType: pickConsumerType(dice),
    created: createdMs,
    // Each was touched during the seeded days, by a visit or an edit.
    modified: Math.min(shop.timeline.momentAfter(createdMs, dice), endMs - 1),
  }))
  return {
    all,
    joinedBy: ms => {
      let low = 0
      let high = created.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (created[middle]! <= ms) low = middle + 1
        else high = middle
      }
      return low
    },
  }
}

function pickConsumerType(dice: Dice): Member['consumerType'] {
  if (dice.chance(0.15)) return 'MedicinalState'
  return dice.chance(0.03) ? 'MedicinalThirdParty' : 'AdultUse'
}

/** Member, in the documentation's field names and with its defaults. */
export function memberRecord(shop: Shop, members: Members, member: Member): object {
  const dice = new Dice(mix(shop.seed, 0xb1d + member.number))
  const bornMs = Date.UTC(1950 + dice.below(53), dice.below(12), 1 + dice.below(28))
  const isMerged = member.number > 50 && dice.chance(0.006)
  const merged = isMerged ? members.all[member.number - 1 - dice.below(40)] : undefined
  const points = dice.below(900)
  return {
    deleted: dice.chance(0.004),
    ...memberNames(shop, member, dice),
    ...memberBirth(bornMs),
    uppercaseCity: shop.city.toUpperCase(),
    address: addressRecord(shop, member.number),
    addresses: [],
    ...memberStanding(member, dice),
    loyaltyPoints: decimal(points * 100),
    lifetimePoints: decimal((points + dice.below(4000)) * 100),
    memberGroupId: makeIds(shop.seed, ID_TAGS.memberGroup).of(1 + (member.number % 3)),
    marketingSource: dice.pick(['Walk by', 'Friend', 'Instagram', '']),
    startDate: member.created,
    lastVisitDate: member.modified,
    ...(merged === undefined ? {} : mergeFields(merged, member.modified)),
    identifications: [identification(shop, member)],
    recommendations: [],
    contracts: [],
    notes: dice.chance(0.03) ? [memberNote(member)] : [],
    tags: dice.chance(0.1) ? ['VIP'] : [],
    recentProducts: [],
    careGivers: [],
    alternateEmails: [],
    alternatePhones: [],
    expStatuses: [],
    metadata: [],
  }
}

function memberNames(shop: Shop, { firstName, lastName, number }: Member, dice: Dice): object {
  const phone = `+1555${String(1_000_000 + number * 611 + shop.index)}`
  // Upper case now and then: addresses compare without case.
  const mailName = dice.chance(0.1)
    ? firstName
        .normalize('NFD')
        .replace(/[^A-Za-z]/g, '')
        .toUpperCase()
    : slug(firstName)
  return {
    firstName,
    lastName,
    middleName: '',
    email: `${mailName}.${slug(lastName)}${number}@mail.example`,
    primaryPhone: phone,
    cpn: phone,
    searchText: `${firstName} ${lastName} ${phone}`.toLowerCase(),
  }
}

function memberBirth(bornMs: number): object {
  const born = toIso(bornMs).slice(0, 10)
  return {
    birthdate: monthFirst(born),
    localDob: born,
    dob: bornMs,
    localDobUTC: bornMs,
  }
}

/** What a store knows and allows. */
function memberStanding({ consumerType }: Member, dice: Dice): object {
  const medical = consumerType !== 'AdultUse'
  return {
    status: pickStatus(dice),
    consumerType,
    sex: dice.pick(['OTHER', 'FEMALE', 'MALE']),
    medical,
    anonymous: false,
    textOptIn: dice.chance(0.6),
    emailOptIn: dice.chance(0.5),
    emailVerified: dice.chance(0.7),
    enableLoyalty: true,
    enabledCareGiver: false,
    eligibleForFTMPromos: true,
    banPatient: dice.chance(0.003),
    exemptFromLimits: false,
    dlExpired: dice.chance(0.05),
    recommendationExpired: medical && dice.chance(0.1),
    agreementExpired: false,
  }
}

function pickStatus(dice: Dice): string {
  if (dice.chance(0.86)) return 'Active'
  return dice.chance(0.5) ? 'Pending' : 'Inactive'
}

const mergeFields = (into: Member, ms: number): object => ({
  mergedIntoMemberId: into.id,
  mergedAt: ms,
  lastMergeEpoch: ms,
})

const identification = (shop: Shop, { id, number }: Member): object => ({
  id: `${id}-id`,
  companyId: shop.companyId,
  state: shop.state,
  licenseNumber: `D${String(10_000_000 + number * 7919)}`,
  type: 'DRIVERS_LICENSE',
  verified: true,
})

const memberNote = ({ id }: Member): object => ({
  id: `${id}-note`,
  message: 'Prefers José’s counter 🌿',
  writerName: 'Front desk',
})
