import { boolean, defineStream, json, person, text, timestamp } from '../../stream.ts'

/** Who recommends patients. The documentation shows no pagination of this list. */
export const doctors = defineStream({
  name: 'doctors',
  singular: 'doctor',
  title: 'doctors',
  path: '/api/v1/partner/store/doctors',
  answers: 'complete',
  optional: true,
  window: 'whole',
  offset: 'start',
  pageCap: 1000,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 0,
  columns: {
    ...text('id', 'companyId', 'importId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active'),
    ...text('degree', 'state', 'website'),
    ...person.text('firstName', 'lastName', 'license', 'phoneNumber', 'email', 'fax', 'deaNumber', 'npiNumber'),
    ...person.json('address'),
    ...json('notes', 'assets'),
  },
  children: {},
})
