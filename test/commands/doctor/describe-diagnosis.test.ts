import { expect, test } from 'vitest'
import { describeDiagnosis } from '../../../commands/doctor/describe-diagnosis.ts'

const fact = (stream: string, name: string, value: string, evidence = '') => ({
  stream,
  name,
  value,
  evidence,
})

const DIAGNOSIS = {
  store: 'denver',
  identity: { name: 'Leaf', companyId: 'c1', shopId: 's1', timeZone: 'America/Denver' },
  mayReconcile: false,
  trouble: undefined,
  facts: [
    fact('', 'clock skew in milliseconds', '0', "this machine's clock is that of the API"),
    fact('transactions', 'offered', 'yes'),
    fact('vendors', 'envelope', '{values} without total'),
    fact('batches', 'sort order', 'none that rows show'),
    fact('terminals', 'sort order', 'unknown'),
    fact('regions', 'offered', 'no (404)'),
    fact('doctors', 'offered', 'no (404)'),
    fact('webhooks', 'offered', 'no (403)'),
  ],
}

test('each finding of doctor that needs a word has one, and says what there is to do', () => {
  const [, notes] = describeDiagnosis(DIAGNOSIS).split('\n\n').slice(-2)
  expect(notes!.replaceAll(/\s+/g, ' ').split(/(?<=\.) (?=[a-z_]+[:,])/)).toEqual([
    'regions, doctors: the API does not have them. Nothing to do, unless batches are among them: journals know no costs of goods then.',
    'webhooks: this partner key may not read them. If you need them, ask the platform for it.',
    'batches: rows come in no order. Nothing to do: sync reads them twice and compares.',
    'vendors: the API does not say how many rows there are. Nothing to do: sync reads them twice and compares.',
    'unknown: too few rows to tell. Nothing to do.',
  ])
})

test('what is so of every list is not said with the names of all', () => {
  const facts = ['batches', 'members', 'vendors'].map(name =>
    fact(name, 'envelope', '{values} without total'),
  )
  expect(describeDiagnosis({ ...DIAGNOSIS, facts })).toContain(
    'every list: the API does not say how many rows there are.',
  )
  const most = [...facts, fact('regions', 'envelope', '{values, total}')]
  expect(describeDiagnosis({ ...DIAGNOSIS, facts: most })).toContain('batches, members, vendors:')
})

test('nothing is said where nothing is worth a word, and no line is wider than the terminal', () => {
  const quiet = describeDiagnosis({ ...DIAGNOSIS, facts: [fact('members', 'offered', 'yes')] })
  expect(quiet).not.toContain('Nothing to do')
  for (const line of describeDiagnosis(DIAGNOSIS).split('\n'))
    expect(line.length).toBeLessThanOrEqual(80)
})
