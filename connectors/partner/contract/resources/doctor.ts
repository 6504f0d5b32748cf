import { companyRecord, flag, many, one, required, resource, text, timestamp } from '../fields.ts'
import { address } from './address.ts'
import { companyAsset } from './asset.ts'
import { note } from './note.ts'

export const doctor = resource('Doctor', {
  ...text('id', 'companyId', 'importId'),
  ...required.text('firstName', 'lastName', 'license'),
  ...text(
    'website',
    'phoneNumber',
    'email',
    'fax',
    'degree',
    'state',
    'searchText',
    'deaNumber',
    'npiNumber',
  ),
  address: one(address),
  ...flag('active'),
  notes: many(note),
  assets: many(companyAsset),
})

export const identification = resource('Identification', {
  ...companyRecord,
  ...text('state', 'licenseNumber', 'type'),
  assets: many(companyAsset),
  frontPhoto: one(companyAsset),
  ...timestamp('expirationDate'),
  ...flag('verified'),
})

export const recommendation = resource('Recommendation', {
  ...text(
    'id',
    'companyId',
    'doctorId',
    'recommendationNumber',
    'state',
    'verifyMethod',
    'verifyPhoneNumber',
    'verifyWebsite',
  ),
  doctor: one(doctor),
  assets: many(companyAsset),
  frontPhoto: one(companyAsset),
  ...timestamp('expirationDate', 'issueDate'),
  ...flag('limitExemption', 'temporary', 'verified'),
})
