import { addPoints } from '../commerce/points.ts'
import { codesOf, isConsumerFacing, refuseTaken } from '../commerce/promotions.ts'
import { textOf } from '../commerce/values.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { EVERYTHING, readMilliseconds, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, merge, softDelete, withoutOwn } from '../model/records.ts'
import { cents, decimal } from '../values/money.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { dateRules, list } from './route.ts'

/** Documented defaults of a promotion that its create request does not have. */
const PROMOTION_DEFAULTS: JsonRecord = {
  promotionType: 'Cart',
  version: 'V1',
  rank: 'Lowest',
  promoSource: 'Manual',
  referralCode: false,
  lowestPriceFirst: false,
  assigned: true,
  restrictConsumerTypes: false,
  consumerTypes: [],
  salesChannels: [],
  autoApply: false,
  enableMultiApplies: false,
  maxApplies: 0,
  groupProductsBy: 'None',
  enableUsageCooldownInDays: false,
  promoCodes: [],
  rules: [],
  criteriaGroups: [],
  target: null,
  exclusions: [],
  memberGroupIds: [],
}

const kept = (record: JsonRecord): boolean => record['deleted'] !== true
const promotions = (call: Call): Call['world']['lists']['promotions'] => call.world.lists.promotions
const promotionOf = (call: Call): number =>
  findNumber(promotions(call), call.params['promotionId']!, 'promotionId', true)

const createPromotion: Route['answer'] = call => {
  const wanted = { ...PROMOTION_DEFAULTS, ...withoutOwn(call.body) }
  if (textOf(wanted['name']) === undefined) throw invalid('name', 'name is required')
  refuseTaken(wanted, promotions(call).all())
  return create(
    promotions(call),
    {
      ...PROMOTION_DEFAULTS,
      ...call.exact,
      usageCount: 0,
      consumerFacing: isConsumerFacing(wanted),
    },
    call.nowMs,
  )
}

/** Reading: "promotion" is the whole one; what is left out stays. */
const updatePromotion: Route['answer'] = call => {
  const number = promotionOf(call)
  const before = promotions(call).read(number)
  const wanted = { ...before, ...withoutOwn(call.body) }
  if (textOf(wanted['name']) === undefined) throw invalid('name', 'name is required')
  refuseTaken(wanted, promotions(call).all())
  return merge(
    promotions(call),
    number,
    { ...call.exact, consumerFacing: isConsumerFacing(wanted) },
    call.nowMs,
  )
}

const rewards = (call: Call, points: number): Buffer => {
  const { rewards: all } = call.world.lists
  return list(call, {
    collection: all,
    range: EVERYTHING,
    sortedBy: reward => Number(reward['points'] ?? 0),
    cap: 200,
    matches: reward =>
      kept(reward) &&
      (points === Infinity ||
        (reward['active'] !== false &&
          reward['published'] === true &&
          Number(reward['points'] ?? 0) <= points)),
  })
}

function pointsOf(call: Call, memberId: string | undefined): JsonRecord {
  const { members } = call.world.lists
  if (memberId === undefined) throw invalid('memberId', 'memberId is required')
  const member = members.read(findNumber(members, memberId, 'memberId'))
  return {
    memberId,
    loyaltyPoints: decimal(cents(member['loyaltyPoints']) ?? 0),
    lifetimePoints: decimal(cents(member['lifetimePoints']) ?? 0),
    enableLoyalty: member['enableLoyalty'],
  }
}

/**
 * Reading: one change or a list of them, each adding `points`, which may be negative. All of them
 * or none.
 */
const updatePoints: Route['answer'] = call => {
  const many = call.items.length > 0
  const changes = many ? call.items : [call.body]
  const answers = changes.map(change => {
    const memberId = textOf(change['memberId'])
    pointsOf(call, memberId)
    const points = cents(change['points'] ?? change['loyaltyPoints'])
    if (points === undefined || Math.abs(points) > 100_000_000)
      throw invalid('points', 'points must be a number')
    addPoints(
      call,
      memberId!,
      { points, activityType: 'Adjust' },
      {
        note: textOf(change['note']) ?? 'Adjustment',
        ...(textOf(change['employeeId']) === undefined ? {} : { employeeId: change['employeeId'] }),
      },
    )
    return pointsOf(call, memberId)
  })
  return many ? answers : answers[0]!
}

const activity: Route['answer'] = call => {
  const memberId = readText(call.query, 'memberId')
  const dated =
    readText(call.query, 'startDate') !== undefined || readText(call.query, 'endDate') !== undefined
  const range = dated
    ? readMilliseconds(call.query, dateRules(call, { limited: false }))
    : EVERYTHING
  return list(call, {
    collection: call.world.lists.loyalty_activity,
    range,
    sortedBy: 'modified',
    ...(memberId === undefined ? {} : { matches: row => row['memberId'] === memberId }),
  })
}

export const loyaltyRoutes: readonly Route[] = [
  play('listRewards', call => rewards(call, Infinity)),
  play('listMemberRewards', call =>
    rewards(
      call,
      Number(
        call.world.lists.members.read(
          findNumber(call.world.lists.members, call.params['memberId']!, 'memberId'),
        )['loyaltyPoints'] ?? 0,
      ),
    ),
  ),
  play('listPromotions', call =>
    list(call, { collection: promotions(call), range: EVERYTHING, sortedBy: 'id', matches: kept }),
  ),
  play('listPromotionsByCode', call => {
    const code = call.params['promocode']!.toLowerCase()
    return list(call, {
      collection: promotions(call),
      range: EVERYTHING,
      sortedBy: 'id',
      matches: promotion =>
        kept(promotion) && codesOf(promotion).some(known => known.toLowerCase() === code),
    })
  }),
  play('createPromotion', createPromotion),
  play('getPromotion', call => promotions(call).text(promotionOf(call))),
  play('updatePromotion', updatePromotion, { merges: true }),
  play('deletePromotion', call =>
    softDelete(promotions(call), promotionOf(call), call.nowMs, { active: false }),
  ),
  play('getLoyaltyPoints', call =>
    pointsOf(call, readText(call.query, 'memberId') ?? memberOfConsumer(call)),
  ),
  play('updateLoyaltyPoints', updatePoints),
  play('listLoyaltyActivity', activity),
  play('listLoyaltyActivityAgain', activity),
]

/** The points of whoever asks, if that is a consumer. */
function memberOfConsumer(call: Call): string | undefined {
  if (call.cuid === undefined) return undefined
  const consumer = call.world.lists.consumer_users.get(call.cuid)
  if (consumer === undefined) throw notFound('cuid', 'There is no such consumer user')
  return textOf(consumer['memberId'])
}
