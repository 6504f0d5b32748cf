import { STEPS } from '../../audit/clocks.ts'
import { CATALOGS } from '../../push/operation.ts'
import { flagsOf, optionOf, signed } from './action.ts'
import type { Action } from './action.ts'

const AUDIT = { name: 'audit', kind: 'hidden', needed: true, isId: true } as const

/** What compliance decides: audits, counts, and what they find. */
export const STOCK: readonly Action[] = [
  {
    name: 'begin-audit',
    title: 'Begin an audit',
    effect:
      'Takes down the stock of now, and writes count sheets. Nobody sees expected quantities.',
    role: 'compliance',
    fields: [{ name: 'store', kind: 'store', label: 'Store' }],
    command: given => ['audit', 'snapshot', ...flagsOf(given, 'store')],
  },
  {
    name: 'report-counts',
    title: 'Compare the counts',
    effect: 'Checks every cell, and writes the report with its differences. Sends nothing.',
    role: 'compliance',
    fields: [AUDIT, { name: 'counts', kind: 'files', label: 'Counted sheets (CSV or XLSX)' }],
    command: given => [
      'audit',
      'report',
      given.value('audit'),
      '--counts',
      ...given.files('counts'),
    ],
  },
  {
    name: 'discard-audit',
    title: 'Give it up',
    effect:
      'Nobody counts it any more, and no plan is made of it. Its files stay, with your reason.',
    role: 'compliance',
    namesPerson: true,
    fields: [AUDIT, { name: 'reason', kind: 'text', label: 'Why nobody counts it' }],
    command: given => ['audit', 'discard', given.value('audit'), ...signed(given)],
  },
  {
    name: 'plan-counts',
    title: 'Plan the correction of stock',
    effect: 'Compares the counts with the stock of now, and writes a plan. Sends nothing.',
    role: 'compliance',
    makesPlan: true,
    fields: [{ name: 'counts', kind: 'files', label: 'Counted sheets (CSV or XLSX)' }],
    command: given => ['reconcile', 'plan', ...given.files('counts')],
  },
  {
    name: 'plan-reported',
    title: 'Plan the correction of stock',
    effect:
      'Compares the counts of the newest report with the stock of now, and writes a plan. Sends nothing.',
    role: 'compliance',
    makesPlan: true,
    fields: [AUDIT],
    command: given => ['reconcile', 'plan', given.value('audit')],
  },
  {
    name: 'confirm-discrepancy',
    title: 'Confirm the discrepancy',
    effect: 'From now on the clocks of the state run: notice and report are due.',
    role: 'compliance',
    asksPassword: true,
    namesPerson: true,
    fields: [
      AUDIT,
      { name: 'reason', kind: 'text', label: 'What happened' },
      {
        name: 'against',
        kind: 'choice',
        label: 'Although the report says that it is not significant',
        choices: ['no', 'yes'],
      },
    ],
    command: given => [
      'audit',
      'confirm',
      given.value('audit'),
      ...(given.value('against') === 'yes' ? ['--against-report'] : []),
      ...signed(given),
    ],
  },
  {
    name: 'withdraw-discrepancy',
    title: 'Take the confirmation back',
    effect: 'Its clocks stop. Your reason stays with the audit.',
    role: 'compliance',
    namesPerson: true,
    fields: [AUDIT, { name: 'reason', kind: 'text', label: 'Why it was a mistake' }],
    command: given => ['audit', 'withdraw', given.value('audit'), ...signed(given)],
  },
  {
    name: 'step-done',
    title: 'It was done',
    effect: 'The clock of the notice, or of the report, ends. What proves it is kept.',
    role: 'compliance',
    namesPerson: true,
    fields: [
      AUDIT,
      { name: 'step', kind: 'choice', label: 'What', choices: STEPS },
      { name: 'reason', kind: 'text', label: 'Case number, or who was told' },
    ],
    command: given => [
      'audit',
      'done',
      given.value('audit'),
      given.value('step'),
      ...signed(given),
    ],
  },
  {
    name: 'plan-catalog',
    title: 'Plan a catalog',
    effect: 'Compares the file with the API field by field, and writes a plan. Sends nothing.',
    role: 'operator',
    makesPlan: true,
    fields: [
      { name: 'catalog', kind: 'choice', label: 'Catalog', choices: CATALOGS },
      { name: 'file', kind: 'files', label: 'File (CSV, XLSX or JSONL)' },
      { name: 'store', kind: 'store', label: 'Store', optional: true },
    ],
    command: given => [
      'push',
      'plan',
      given.value('catalog'),
      ...given.files('file').slice(0, 1),
      ...optionOf(given, 'store'),
    ],
  },
]
