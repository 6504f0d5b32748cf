import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TillageError } from '../errors.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { STEPS } from './clocks.ts'
import type { Clock, Step } from './clocks.ts'
import { auditsOf } from './folder.ts'
import type { AuditFolder } from './folder.ts'

/** Who says it, why, and when. */
export interface SignedReason {
  by: string
  reason: string
  nowMs: number
}

/** A named person's word that the discrepancy of an audit is significant: it starts the clocks. */
export interface Confirmation {
  audit: string
  store: string
  by: string
  reason: string
  /** ISO, UTC. */
  confirmedAt: string
  /** Of the sales of an average month, as the newest report has it; none where it does not know. */
  significant: string[]
  /** What the report says instead, where it does not call it significant. */
  reportSays?: string
  clocks: Clock[]
}

/** That a step was done: by whom, and what proves it. */
export interface StepDone {
  audit: string
  store: string
  step: Step
  by: string
  /** A case number, who was spoken to. */
  reference: string
  doneAt: string
}

/** A named person's word that a confirmation was a mistake: its clocks stop. */
export interface Withdrawal {
  audit: string
  store: string
  by: string
  reason: string
  /** ISO, UTC. */
  withdrawnAt: string
}

type Document = 'confirmation' | 'withdrawal' | `${Step}-done`

/** A confirmation, and what became of it, have one number; the first has none in its names. */
const pathOf = ({ path }: AuditFolder, document: Document, number: number): string =>
  join(path, 'discrepancy', `${document}${number === 1 ? '' : `-${number}`}.json`)

/** How often the discrepancy of an audit was confirmed. */
function timesConfirmed(folder: AuditFolder): number {
  let number = 0
  while (existsSync(pathOf(folder, 'confirmation', number + 1))) number++
  return number
}

export function keepConfirmation(folder: AuditFolder, confirmation: Confirmation): void {
  refuseConfirmed(folder)
  const path = pathOf(folder, 'confirmation', timesConfirmed(folder) + 1)
  writeOnce(path, asText(confirmation))
}

/** The clocks of a confirmation do not start again, unless it was withdrawn. */
export function refuseConfirmed(folder: AuditFolder): void {
  const known = readConfirmation(folder)
  if (known !== undefined)
    throw new TillageError(
      'NOT_ALLOWED',
      `${known.by} has confirmed the discrepancy of ${folder.audit} at ${known.confirmedAt}; ` +
        'the clocks run since then',
      {
        remedy:
          'tillage status shows them; tillage audit done says that a step was done, ' +
          'tillage audit withdraw that it was a mistake.',
      },
    )
}

export function keepWithdrawal(folder: AuditFolder, withdrawal: Withdrawal): void {
  if (readConfirmation(folder) === undefined) throw nothingConfirmed(folder)
  writeOnce(pathOf(folder, 'withdrawal', timesConfirmed(folder)), asText(withdrawal))
}

export function keepStepDone(folder: AuditFolder, done: StepDone): void {
  if (readConfirmation(folder) === undefined) throw nothingConfirmed(folder)
  const known = readStepDone(folder, done.step)
  if (known !== undefined)
    throw new TillageError(
      'NOT_ALLOWED',
      `the ${done.step} of ${folder.audit} was done by ${known.by} at ${known.doneAt}`,
      { remedy: 'Nothing was recorded.' },
    )
  writeOnce(pathOf(folder, `${done.step}-done`, timesConfirmed(folder)), asText(done))
}

const nothingConfirmed = ({ audit }: AuditFolder): TillageError =>
  new TillageError(
    'NOT_ALLOWED',
    `nobody has confirmed a discrepancy of ${audit}, so no clock runs`,
    {
      remedy: 'Nothing was recorded.',
    },
  )

const asText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** The one that counts; undefined: there is none, or it was withdrawn. */
export function readConfirmation(folder: AuditFolder): Confirmation | undefined {
  const number = timesConfirmed(folder)
  if (existsSync(pathOf(folder, 'withdrawal', number))) return undefined
  return read(pathOf(folder, 'confirmation', number)) as Confirmation | undefined
}

/** All that were withdrawn, the first one first. */
export const readWithdrawn = (folder: AuditFolder): Withdrawal[] =>
  Array.from({ length: timesConfirmed(folder) }, (_, at) => at + 1).flatMap(
    number => (read(pathOf(folder, 'withdrawal', number)) as Withdrawal | undefined) ?? [],
  )

export const readStepDone = (folder: AuditFolder, step: Step): StepDone | undefined =>
  read(pathOf(folder, `${step}-done`, timesConfirmed(folder))) as StepDone | undefined

const read = (path: string): unknown =>
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined

/** A clock of a store that still runs. */
export interface OpenClock extends Clock {
  audit: string
}

/** Clocks of all audits of a store whose step nobody has done, the most urgent first. */
export const openClocks = (exports: string, store: string): OpenClock[] =>
  auditsOf(exports, store)
    .flatMap(folder =>
      STEPS.filter(step => readStepDone(folder, step) === undefined).flatMap(step => {
        const clock = readConfirmation(folder)?.clocks.find(one => one.step === step)
        return clock === undefined ? [] : [{ ...clock, audit: folder.audit }]
      }),
    )
    .toSorted((one, other) => (one.dueAt < other.dueAt ? -1 : 1))
