import {
  choice,
  companyRecord,
  flag,
  many,
  no,
  one,
  openList,
  required,
  resource,
  text,
  texts,
  timestamp,
  yes,
} from '../fields.ts'
import { address } from './address.ts'
import { companyAsset } from './asset.ts'
import { CONSUMER_TYPES } from './consumer-type.ts'

const consumerAsset = resource(
  'ConsumerAsset',
  text('id', 'key', 'name', 'publicURL'),
  'All fields; read as some of those of CompanyAsset.',
)

export const consumerUser = resource('ConsumerUser', {
  ...companyRecord,
  ...text(
    'email',
    'password',
    'firstName',
    'lastName',
    'middleName',
    'birthdate',
    'localDob',
    'primaryPhone',
    'cpn',
    'searchText',
    'marketingSource',
    'sourceCompanyId',
  ),
  ...text(
    'verificationWebsite',
    'verificationPhone',
    'doctorFirstName',
    'doctorLastName',
    'doctorLicense',
    'dlNo',
    'localDlExpiration',
    'dlState',
    'recNo',
    'reason',
    'importId',
    'memberId',
  ),
  address: one(address),
  addresses: many(address),
  ...timestamp(
    'dob',
    'dlExpiration',
    'recExpiration',
    'recIssueDate',
    'acceptedDate',
    'lastSyncDate',
    'rejectedDate',
    'growthLoyaltyEnrolledUpdatedAt',
  ),
  ...flag('textOptIn', 'emailOptIn', 'anonymous', 'verified', 'growthLoyaltyEnrolled'),
  ...no('medical', 'accepted'),
  ...yes('active'),
  verifyMethod: choice(['Website', 'Phone'], 'Website'),
  notificationType: choice(['None', 'Email', 'Text'], 'Email'),
  consumerType: choice(CONSUMER_TYPES, 'AdultUse'),
  dlPhoto: one(consumerAsset),
  recPhoto: one(consumerAsset),
  ...texts('memberIds'),
  ...openList('memberStatuses', 'signedContracts'),
  source: choice(['Ext1', 'Ext2'], 'Ext1'),
})

export const consumerCreateRequest = resource('ConsumerCreateRequest', {
  ...required.text('email', 'firstName', 'lastName'),
  ...text('password', 'phoneNumber', 'birthdate', 'localDob', 'marketingSource', 'contractId'),
  ...timestamp('dob'),
  agreement: one(companyAsset),
})

export const consumerLoginRequest = resource('ConsumerLoginRequest', {
  ...required.text('email', 'password'),
  ...text('timezone'),
})

export const consumerAuthResult = resource('ConsumerAuthResult', {
  ...text('accessToken', 'assetAccessToken', 'sessionId'),
  user: one(consumerUser),
  ...timestamp('loginTime', 'expirationTime'),
})

export const contractSignRequest = resource('ContractSignRequest', required.text('contractId'))

export const verificationStatus = resource(
  'PatientVerificationStatus',
  text('patientName', 'recommendationExpDate', 'recommendationIssueDate', 'recommendationStatus'),
)
