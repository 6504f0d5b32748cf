import { addDays } from '../../calendar/days.ts'
import { flagsOf, optionOf, REASON, STORE } from './action.ts'
import type { Action } from './action.ts'

const SCHEDULE = { name: 'schedule', kind: 'hidden', needed: true } as const
const LETTER = [
  STORE,
  { name: 'stream', kind: 'hidden' },
  { name: 'key', kind: 'shown', label: 'Record' },
] as const
const LETTERS = [
  { name: 'store', kind: 'shown', label: 'Store' },
  { name: 'stream', kind: 'shown', label: 'List' },
] as const

/** A list that is named, or none. */
const listOf = (stream: string): string[] => (stream === '' ? [] : [stream])

/** What operations decides: reading again, schedules, records that no table took. */
export const OPERATIONS: readonly Action[] = [
  {
    name: 'read-again',
    title: 'Read these days again',
    effect:
      'Asks the API for the days once more, also where they are proven, and proves them. What has changed since is taken over.',
    role: 'operator',
    fields: [
      STORE,
      { name: 'stream', kind: 'hidden' },
      { name: 'from', kind: 'date', label: 'From' },
      { name: 'to', kind: 'date', label: 'To' },
    ],
    command: given => [
      'sync',
      ...listOf(given.value('stream')),
      ...flagsOf(given, 'store', 'from'),
      '--to',
      addDays(given.value('to'), 1),
      '--again',
    ],
  },
  {
    name: 'look-at-api',
    title: 'Ask the API',
    effect: 'Checks keys and permissions, and how the lists behave. Changes nothing at the API.',
    role: 'operator',
    fields: [STORE],
    command: given => ['doctor', ...flagsOf(given, 'store')],
  },
  {
    name: 'list-webhooks',
    title: 'Ask what it tells us',
    effect: 'Asks the API for its registrations, and compares them with the settings.',
    role: 'operator',
    fields: [STORE],
    command: given => ['webhooks', 'list', ...flagsOf(given, 'store')],
  },
  {
    name: 'apply-webhooks',
    title: 'Have it tell us its changes',
    effect: "Makes the API's registrations for our address as the settings say. Touches no others.",
    role: 'operator',
    fields: [STORE],
    command: given => ['webhooks', 'apply', ...flagsOf(given, 'store')],
  },
  {
    name: 'rotate-webhooks',
    title: 'Give it a new address',
    effect:
      'Registers a new secret address at the API. The old one is closed: what comes there later is not heard, and the next night proves it.',
    role: 'operator',
    fields: [STORE],
    command: given => ['webhooks', 'rotate', ...flagsOf(given, 'store')],
  },
  {
    name: 'remove-webhooks',
    title: 'Have it tell us nothing',
    effect:
      'Takes our registrations out of the API and closes the address. Changes are found by schedules alone from then on.',
    role: 'operator',
    fields: [STORE],
    command: given => ['webhooks', 'remove', ...flagsOf(given, 'store')],
  },
  {
    name: 'trigger-schedule',
    title: 'Run it now',
    effect: 'Starts the schedule once, as if it were due.',
    role: 'operator',
    fields: [SCHEDULE],
    command: given => ['schedule', 'trigger', given.value('schedule')],
  },
  {
    name: 'backfill-nights',
    title: 'Do the nights of these days',
    effect:
      'Does for each day what its night would have done: reads it, then gives out and books what the settings name. What is done already stays.',
    role: 'operator',
    fields: [
      STORE,
      { name: 'from', kind: 'date', label: 'From' },
      { name: 'to', kind: 'date', label: 'To' },
    ],
    command: given => [
      'schedule',
      'backfill',
      ...flagsOf(given, 'store', 'from'),
      '--to',
      addDays(given.value('to'), 1),
    ],
  },
  {
    name: 'pause-schedule',
    title: 'Pause it',
    effect: 'It does not start until somebody resumes it.',
    role: 'operator',
    fields: [SCHEDULE, REASON],
    command: given => ['schedule', 'pause', given.value('schedule'), ...flagsOf(given, 'reason')],
  },
  {
    name: 'resume-schedule',
    title: 'Resume it',
    effect: 'It starts again when it is due.',
    role: 'operator',
    fields: [SCHEDULE],
    command: given => ['schedule', 'resume', given.value('schedule')],
  },
  {
    name: 'replay-letter',
    title: 'Load it again',
    effect:
      'Tries to store the record as it came. It stays here, with its reason, where it is refused again.',
    role: 'operator',
    fields: LETTER,
    command: given => [
      'dead-letters',
      'replay',
      given.value('key'),
      ...flagsOf(given, 'store'),
      ...optionOf(given, 'stream'),
    ],
  },
  {
    name: 'replay-letters',
    title: 'Load all of them again',
    effect:
      'Tries to store every record of the list that no table took. Those that are refused again stay here.',
    role: 'operator',
    fields: LETTERS,
    command: given => [
      'dead-letters',
      'replay',
      ...flagsOf(given, 'store'),
      ...optionOf(given, 'stream'),
    ],
  },
  {
    name: 'discard-letter',
    title: 'Give it up',
    effect: 'The record goes aside, with your name and your reason, and is not told of any more.',
    role: 'operator',
    namesPerson: true,
    fields: [...LETTER, REASON],
    command: given => [
      'dead-letters',
      'discard',
      given.value('key'),
      ...flagsOf(given, 'store'),
      ...optionOf(given, 'stream'),
      ...flagsOf(given, 'reason'),
      '--by',
      given.by,
    ],
  },
]
