import { defineStream, text, timestamp } from '../../stream.ts'

/** Tax names and rates as the store shows them (TaxInfoResult). `taxes` are those of sales, in the books. Records have a name and no id; their other fields are not shown. */
export const taxRates = defineStream({
  name: 'tax_rates',
  singular: 'tax_rate',
  title: 'tax names and rates',
  path: '/api/v1/partner/store/taxes',
  key: ['name'],
  answers: 'complete',
  optional: true,
  window: 'whole',
  offset: 'start',
  pageCap: 1000,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 0,
  columns: {
    ...text('id', 'name'),
    ...timestamp('created', 'modified'),
  },
  children: {},
})
