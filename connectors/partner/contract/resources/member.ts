import {
  choice,
  companyRecord,
  flag,
  int64,
  many,
  no,
  number,
  one,
  open,
  openChoice,
  openChoiceOr,
  openList,
  required,
  resource,
  shopRecord,
  text,
  texts,
  timestamp,
  yes,
} from '../fields.ts'
import { address } from './address.ts'
import { CONSUMER_TYPES } from './consumer-type.ts'
import { identification, recommendation } from './doctor.ts'
import { note } from './note.ts'

export const member = resource('Member', {
  ...shopRecord,
  ...required.text('firstName', 'lastName'),
  ...text(
    'middleName',
    'uppercaseCity',
    'email',
    'birthdate',
    'localDob',
    'primaryPhone',
    'cpn',
    'searchText',
    'nickname',
    'importId',
    'memberGroupId',
    'consumerUserId',
  ),
  ...text(
    'marketingSource',
    'mergedIntoMemberId',
    'mergedByEmployeeId',
    'regionId',
    'referralCode',
    'complianceCardSessionId',
    'extCustomerId',
  ),
  address: one(address),
  addresses: many(address),
  ...timestamp('dob', 'localDobUTC', 'lastMergeEpoch', 'mergedAt', 'lastVisitDate', 'startDate'),
  ...int64('recommendationExpiryLeft', 'sbid'),
  ...yes('textOptIn', 'emailOptIn', 'enableLoyalty', 'eligibleForFTMPromos'),
  ...no('anonymous', 'enabledCareGiver', 'banPatient', 'exemptFromLimits'),
  ...flag('medical', 'dlExpired', 'recommendationExpired', 'agreementExpired', 'emailVerified'),
  ...openList('metadata', 'contracts', 'preferences', 'consumerUserIdHistory'),
  sex: openChoiceOr('OTHER'),
  status: choice(['Active', 'Pending', 'Inactive'], 'Inactive'),
  notes: many(note),
  identifications: many(identification),
  recommendations: many(recommendation),
  ...openChoice('mergeRole', 'mergeOrderRouting', 'allotmentOverride'),
  ...open('memberGroup', 'growthLoyaltyTier'),
  ...texts(
    'recentProducts',
    'alternateEmails',
    'alternatePhones',
    'careGivers',
    'tags',
    'expStatuses',
  ),
  consumerType: choice(CONSUMER_TYPES, 'AdultUse'),
  ...number('loyaltyPoints', 'lifetimePoints'),
})

export const memberAddRequest = resource('MemberAddRequest', {
  ...required.text('firstName', 'lastName'),
  ...text(
    'importId',
    'id',
    'middleName',
    'birthdate',
    'primaryPhone',
    'email',
    'photoId',
    'doctorImportId',
    'memberGroupId',
    'marketingSource',
    'nickname',
    'searchText',
  ),
  address: one(address),
  addresses: many(address),
  ...timestamp('dob', 'startDate', 'lastVisitDate'),
  ...yes('emailOptIn'),
  ...no(
    'enableLoyalty',
    'banned',
    'anonymous',
    'enabledCareGiver',
    'enabledCannabisLimit',
    'exemptFromLimits',
  ),
  ...flag('textOptIn', 'medical', 'dlExpired'),
  ...number('loyaltyPoints'),
  consumerType: choice(CONSUMER_TYPES, 'AdultUse'),
  ...texts('alternateEmails', 'alternatePhones', 'tags', 'careGivers'),
  identifications: many(identification),
  recommendations: many(recommendation),
  ...openChoice('allotmentOverride'),
  notes: many(note),
})

export const memberLimits = resource(
  'MemberLimits',
  { ...text('memberId') },
  'All fields; read as amounts by kind of goods.',
)

export const loyaltyActivity = resource(
  'LoyaltyActivity',
  {
    ...companyRecord,
    ...text('shopId', 'memberId', 'transNo', 'activityType', 'employeeId', 'note'),
    ...number('amount', 'balance'),
  },
  'All fields; read as points that came or went, and the points after it.',
)

export const loyaltyPoints = resource(
  'LoyaltyPoints',
  { ...text('memberId'), ...number('loyaltyPoints', 'lifetimePoints') },
  'All fields; named as on the member.',
)

export const loyaltyPointsRequest = resource(
  'LoyaltyPointsRequest',
  { ...required.text('memberId'), ...number('points'), ...text('employeeId', 'note') },
  'All fields; points are read as what to add, negative to take away.',
)
