import { z } from 'zod'
import {
  binary,
  json,
  milliseconds,
  page,
  paging,
  query,
  record,
  required,
  update,
} from './fields.ts'
import { get, group, post, put } from './operation.ts'
import { member, memberAddRequest, memberLimits } from './resources/member.ts'

const LIMITS = 'The answer: an object of amounts by kind of goods.'
const FOUND = (parameter: string): string =>
  `Parameter and shape: ${parameter}, and a page of members.`

export const members = group('Members', '/api/v1/partner/members', {
  getMember: get('/{memberId}', 'One member', { answer: record(member) }),
  getMemberByEmail: get('/email/{email}', 'One member by email', { answer: record(member) }),
  createMember: post('', 'Creates a member; email and phone number tell duplicates', {
    body: json(memberAddRequest),
    answer: record(member),
    emits: ['NEW_MEMBER'],
    notShown: ['The answer for a duplicate: an error that names the field.'],
  }),
  updateMember: put('/{memberId}', 'Updates a member', {
    body: json(update(member)),
    answer: record(member),
    emits: ['UPDATE_MEMBER'],
    notShown: ['Whether fields that are left out are kept: they are, so send it whole.'],
  }),
  updateMemberMetadata: put('/{memberId}/metadata', 'Updates the metadata of a member', {
    body: json(z.unknown()),
    answer: record(member),
    emits: ['UPDATE_MEMBER'],
    notShown: ['Body and answer: the metadata, an object or a list of objects, and the member.'],
  }),
  listMembers: get('', 'Members by dates', {
    query: query({ ...milliseconds, ...paging('start') }),
    answer: page(member),
    notShown: [
      'Parameters beyond startDate and endDate, and the shape: start and limit, a page.',
      'Which field the dates look at: modified.',
    ],
  }),
  listMembersByDays: get('/days', 'Members of the last days', {
    query: query({ ...required.int64('days'), ...paging('start') }),
    answer: page(member),
    notShown: ['What days counts: days of the store, today included; it is required.'],
  }),
  getMemberLimits: get('/{memberId}/limits', 'Limits of a member', {
    answer: record(memberLimits),
    notShown: [LIMITS],
  }),
  getMemberRemainingLimits: get(
    '/{memberId}/limits/remaining',
    'What is left of the limits of a member',
    { answer: record(memberLimits), notShown: [LIMITS] },
  ),
  searchMembers: get('/search', 'Members by licence number', {
    query: query({ ...required.text('licenseNumber'), ...paging('start') }),
    answer: page(member),
    notShown: [FOUND('licenseNumber')],
  }),
  searchMembersByDob: get('/search/dob', 'Members by date of birth', {
    query: query({ ...required.int64('dob'), ...paging('start') }),
    answer: page(member),
    notShown: [FOUND('dob in epoch milliseconds')],
  }),
  searchMembersByPhone: get('/search/phone', 'Members by phone number', {
    query: query({ ...required.text('phone'), ...paging('start') }),
    answer: page(member),
    notShown: [FOUND('phone')],
  }),
  getMemberReferralQr: get('/referral-qr/{consumerMemberId}', 'Referral label of a member', {
    answer: binary('image/png'),
    notShown: ['The answer: the label as an image.'],
  }),
})
