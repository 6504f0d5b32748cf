import type { ActionContext } from '../events/emit.ts'
import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { cents, decimal } from '../values/money.ts'

export type ActivityType = 'Earn' | 'Spend' | 'Adjust'

/**
 * Hundredths of points for a sale of so many cents. Reading: one for each whole unit of money,
 * before taxes, as the seeded sales have it.
 */
export const pointsFor = (subTotalCents: number): number => Math.floor(subTotalCents / 100) * 100

/**
 * Gives a member points (hundredths; negative takes them) and writes it into the activity. Reading:
 * every member takes part, whatever `enableLoyalty` says, because its two documented defaults
 * disagree. Refused where less than nothing would be left.
 */
export function addPoints(
  call: ActionContext,
  memberId: string,
  { points, activityType }: { points: number; activityType: ActivityType },
  details: JsonRecord,
): void {
  const { lists } = call.world
  const number = lists.members.find(memberId)
  if (number === undefined || points === 0) return
  const member = lists.members.read(number)
  const left = (cents(member['loyaltyPoints']) ?? 0) + points
  if (left < 0) throw invalid('points', 'The member has fewer loyalty points than this')
  const lifetime =
    (cents(member['lifetimePoints']) ?? 0) + (activityType === 'Spend' ? 0 : Math.max(0, points))
  lists.members.edit(
    number,
    { loyaltyPoints: decimal(left), lifetimePoints: decimal(lifetime) },
    call.nowMs,
  )
  lists.loyalty_activity.insert(
    {
      memberId,
      activityType,
      amount: decimal(points),
      balance: decimal(left),
      activityDate: call.nowMs,
      ...details,
    },
    call.nowMs,
  )
  emit(call, 'UPDATE_MEMBER', lists.members, memberId)
}
