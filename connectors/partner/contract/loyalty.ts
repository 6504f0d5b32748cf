import { z } from 'zod'
import {
  json,
  milliseconds,
  none,
  page,
  paging,
  query,
  record,
  recordOrNone,
  text,
  update,
} from './fields.ts'
import { del, get, group, post, put } from './operation.ts'
import { loyaltyActivity, loyaltyPoints, loyaltyPointsRequest } from './resources/member.ts'
import { loyaltyReward, promotion, promotionRequest } from './resources/promotion.ts'

const activity = {
  query: query({ ...text('memberId'), ...milliseconds, ...paging('start') }),
  answer: page(loyaltyActivity),
  notShown: [
    'Parameters and shape: memberId, startDate and endDate in epoch milliseconds, ' +
      'start and limit, a page.',
  ],
}

export const loyalty = group('Loyalty', '/api/v1/partner/loyalty', {
  listRewards: get('/rewards', 'Rewards, by points', {
    query: query(paging('start')),
    answer: page(loyaltyReward, 200),
  }),
  createPromotion: post(
    '/promotions',
    'Creates a promotion; its name is unique in the shop, its codes across all promotions',
    { body: json(promotionRequest), answer: record(promotion) },
  ),
  listPromotions: get('/promotions', 'Promotions', {
    query: query(paging('start')),
    answer: page(promotion),
    notShown: ['Parameters and shape: start and limit, a page.'],
  }),
  listPromotionsByCode: get('/promotions/code/{promocode}', 'Promotions by code', {
    answer: page(promotion),
    notShown: ['The shape: a page.'],
  }),
  getPromotion: get('/promotions/{promotionId}', 'One promotion', {
    answer: record(promotion),
    notShown: ['The shape: the promotion.'],
  }),
  updatePromotion: put('/promotions/{promotionId}', 'Updates a promotion', {
    body: json(update(promotion).partial().meta({ id: 'PromotionChanges' })),
    answer: record(promotion),
    notShown: ['Body: fields of the promotion; those that are not sent stay. Answer: all of it.'],
  }),
  deletePromotion: del('/promotions/{promotionId}', 'Deletes a promotion', { answer: none }),
  listMemberRewards: get('/rewards/members/{memberId}', 'Rewards that a member can get', {
    query: query(paging('start')),
    answer: page(loyaltyReward),
    notShown: [
      'Parameters and shape: start and limit, ' +
        'a page of what the points of the member are enough for.',
    ],
  }),
  getLoyaltyPoints: get('/points', 'Loyalty points of a member', {
    query: query(text('memberId')),
    answer: record(loyaltyPoints),
    notShown: ['Parameter and answer: memberId, and the points as on the member.'],
  }),
  updateLoyaltyPoints: post('/points', 'Updates loyalty points of members', {
    body: json(z.union([loyaltyPointsRequest, z.array(loyaltyPointsRequest)])),
    answer: recordOrNone(z.unknown()),
    emits: ['UPDATE_MEMBER'],
    notShown: [
      'The body: one change or a list of them, each with memberId and the points to add.',
      'The answer: the new points of each, in the same form.',
    ],
  }),
  listLoyaltyActivity: get('/activity', 'Loyalty activities', activity),
  listLoyaltyActivityAgain: get(
    '/loyalty/activity',
    'Loyalty activities, under their other path',
    activity,
  ),
})
