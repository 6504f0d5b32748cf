import { defineList, text, timestamp } from '../../stream.ts'

/**
 * Tax names and rates as the store shows them (TaxInfoResult). `taxes` are those of sales, in the
 * books. Records have a name and no id; their other fields are not shown.
 */
export const taxRates = defineList({
  name: 'tax_rates',
  singular: 'tax_rate',
  title: 'tax names and rates',
  path: '/api/v1/partner/store/taxes',
  key: ['name'],
  answers: 'complete',
  optional: true,
  columns: {
    ...text('id', 'name'),
    ...timestamp('created', 'modified'),
  },
})
