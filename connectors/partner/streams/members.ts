import { boolean, decimal, defineStream, integer, json, person, text, timestamp } from '../../stream.ts'

/** The people who buy. Whatever tells who they are carries the privacy class and stays out of exports (INV-10). */
export const members = defineStream({
  name: 'members',
  singular: 'member',
  title: 'members (customers and patients)',
  path: '/api/v1/partner/members',
  window: 'milliseconds',
  offset: 'start',
  pageCap: 100,
  cursor: 'modified',
  // One public client reads the date filter as the day of joining, so that counts as lying in the window too.
  eventTimes: ['modified', 'created', 'startDate'],
  lookup: { path: '/api/v1/partner/members/{id}' },
  lookbackDays: 7,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted'),
    ...person.text('firstName', 'lastName', 'middleName', 'nickname', 'email', 'birthdate', 'localDob', 'primaryPhone', 'cpn', 'searchText', 'uppercaseCity'),
    ...person.timestamp('dob', 'localDobUTC'),
    ...person.json('address', 'addresses', 'notes', 'identifications', 'recommendations', 'contracts', 'alternateEmails', 'alternatePhones', 'careGivers'),
    ...text('status', 'consumerType', 'sex', 'memberGroupId', 'marketingSource', 'regionId', 'importId', 'consumerUserId', 'extCustomerId'),
    ...text('referralCode', 'complianceCardSessionId', 'mergedIntoMemberId', 'mergedByEmployeeId', 'mergeRole', 'mergeOrderRouting', 'allotmentOverride'),
    ...decimal('loyaltyPoints', 'lifetimePoints'),
    ...integer('recommendationExpiryLeft', 'sbid'),
    ...timestamp('lastVisitDate', 'startDate', 'mergedAt', 'lastMergeEpoch'),
    ...boolean('textOptIn', 'emailOptIn', 'medical', 'anonymous', 'dlExpired', 'recommendationExpired', 'agreementExpired', 'emailVerified'),
    ...boolean('enableLoyalty', 'enabledCareGiver', 'eligibleForFTMPromos', 'banPatient', 'exemptFromLimits'),
    ...json('tags', 'recentProducts', 'expStatuses', 'metadata', 'growthLoyaltyTier'),
  },
  children: {},
})
