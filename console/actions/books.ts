import { bookedStream } from '../../books/order-journal.ts'
import { addDays } from '../../calendar/days.ts'
import { JOURNAL_FORMATS } from '../../exports/journal/settings.ts'
import { flagsOf, optionOf, signed, REASON, STORE } from './action.ts'
import type { Action } from './action.ts'

const DAY = { name: 'day', kind: 'hidden', needed: true, isDay: true } as const
const REVISION = { name: 'revision', kind: 'shown', label: 'Revision' } as const
const MONTH = { name: 'month', kind: 'hidden' } as const

const { name, children } = bookedStream()
/** Sales and their lines. */
const BOOKED = [name, ...Object.keys(children).slice(0, 1)]

/** What accounting decides. */
export const BOOKS: readonly Action[] = [
  {
    name: 'export-day',
    title: 'Export the day',
    effect:
      'Writes its transactions and their lines as Parquet and CSV, with a manifest. Days that are not proven are refused.',
    role: 'accountant',
    fields: [STORE, DAY],
    command: given => [
      'export',
      ...BOOKED,
      ...flagsOf(given, 'store'),
      '--from',
      given.value('day'),
      '--to',
      addDays(given.value('day'), 1),
    ],
  },
  {
    name: 'write-journal',
    title: 'Write the journal',
    effect:
      'Books the day: the first time as revision 0, later what has changed since. A day that does not tie out is held back.',
    role: 'accountant',
    fields: [
      STORE,
      DAY,
      { name: 'format', kind: 'choice', label: 'For', choices: ['', ...JOURNAL_FORMATS] },
    ],
    command: given => [
      'journal',
      ...flagsOf(given, 'store'),
      '--date',
      given.value('day'),
      ...optionOf(given, 'format'),
    ],
  },
  {
    name: 'write-journals',
    title: 'Write the journals of these days',
    effect:
      'Books each of the days as its own page would. A day that does not tie out is held back.',
    role: 'accountant',
    fields: [
      { name: 'store', kind: 'store', label: 'Store', optional: true },
      { name: 'from', kind: 'date', label: 'From' },
      { name: 'to', kind: 'date', label: 'To' },
    ],
    command: given => [
      'journal',
      ...flagsOf(given, 'from'),
      '--to',
      addDays(given.value('to'), 1),
      ...optionOf(given, 'store'),
    ],
  },
  {
    name: 'say-posted',
    title: 'It was imported',
    effect:
      'Remembers that this revision of the journal was imported into the ledger, under which number and by whom.',
    role: 'accountant',
    namesPerson: true,
    fields: [STORE, DAY, REVISION, { name: 'ref', kind: 'text', label: 'Its number there' }],
    command: given => [
      'books',
      'posted',
      given.value('day'),
      ...flagsOf(given, 'store', 'revision', 'ref'),
      '--by',
      given.by,
    ],
  },
  {
    name: 'say-not-posted',
    title: 'It was not imported after all',
    effect:
      'Takes back that this revision of the journal was imported. Your reason is noted in the audit log.',
    role: 'accountant',
    namesPerson: true,
    fields: [STORE, DAY, REVISION, REASON],
    command: given => [
      'books',
      'posted',
      given.value('day'),
      ...flagsOf(given, 'store', 'revision'),
      '--withdraw',
      ...flagsOf(given, 'reason'),
      '--by',
      given.by,
    ],
  },
  {
    name: 'close-month',
    title: 'Close the month',
    effect:
      'What changes of its days later is posted to the current period. Refused while a day is open, held or changed.',
    role: 'accountant',
    asksPassword: true,
    namesPerson: true,
    fields: [{ name: 'store', kind: 'store', label: 'Store', optional: true }, MONTH],
    command: given => [
      'books',
      'close',
      given.value('month'),
      '--by',
      given.by,
      ...optionOf(given, 'store'),
    ],
  },
  {
    name: 'reopen-month',
    title: 'Open the month again',
    effect: 'The next change of one of its days is dated in it again. The reason is kept for ever.',
    role: 'accountant',
    asksPassword: true,
    namesPerson: true,
    fields: [{ name: 'store', kind: 'store', label: 'Store', optional: true }, MONTH, REASON],
    command: given => [
      'books',
      'reopen',
      given.value('month'),
      ...signed(given),
      ...optionOf(given, 'store'),
    ],
  },
]
