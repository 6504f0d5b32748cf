import { companyRecord, flag, required, resource, text } from '../fields.ts'

const fields = {
  ...text(
    'middleName',
    'email',
    'phoneNumber',
    'officeNumber',
    'role',
    'vendorId',
    'customerCompanyId',
  ),
  ...flag('active'),
}

export const companyContact = resource(
  'CompanyContact',
  { ...companyRecord, ...text('firstName', 'lastName'), ...fields },
  'All fields; read as a person to reach at a company.',
)

export const companyContactRequest = resource(
  'CompanyContactRequest',
  { ...required.text('firstName', 'lastName'), ...fields },
  'All fields; read as those of the contact, both names required.',
)
