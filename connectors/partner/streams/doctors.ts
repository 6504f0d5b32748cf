import { boolean, defineList, json, person, text, timestamp } from '../../stream.ts'

/** Who recommends patients. The documentation shows no pagination of this list. */
export const doctors = defineList({
  name: 'doctors',
  singular: 'doctor',
  title: 'doctors',
  path: '/api/v1/partner/store/doctors',
  answers: 'complete',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'importId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active'),
    ...text('degree', 'state', 'website'),
    ...person.text(
      'firstName',
      'lastName',
      'license',
      'phoneNumber',
      'email',
      'fax',
      'deaNumber',
      'npiNumber',
    ),
    ...person.json('address', 'notes'),
    ...json('assets'),
  },
})
