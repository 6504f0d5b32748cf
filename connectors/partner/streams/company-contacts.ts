import { boolean, defineList, person, text, timestamp } from '../../stream.ts'

/**
 * People at vendors and customers. Dates are optional and fields are not shown; the list is read
 * whole.
 */
export const companyContacts = defineList({
  name: 'company_contacts',
  singular: 'company_contact',
  title: 'contacts at other companies',
  path: '/api/v1/partner/companycontacts',
  optional: true,
  columns: {
    ...text('id', 'companyId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active'),
    ...text('vendorId', 'customerCompanyId', 'role'),
    ...person.text('firstName', 'lastName', 'email', 'middleName', 'phoneNumber', 'officeNumber'),
  },
})
