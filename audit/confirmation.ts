import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TillageError } from '../errors.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { STEPS } from './clocks.ts'
import type { Clock, Step } from './clocks.ts'
import { auditsOf } from './folder.ts'
import type { AuditFolder } from './folder.ts'

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

const CONFIRMATION = 'discrepancy/confirmation.json'
const stepFile = (step: Step): string => `discrepancy/${step}-done.json`

export function keepConfirmation(folder: AuditFolder, confirmation: Confirmation): void {
  refuseConfirmed(folder)
  writeOnce(join(folder.path, CONFIRMATION), asText(confirmation))
}

/** Once for each audit: the clocks of a confirmation do not start again. */
export function refuseConfirmed(folder: AuditFolder): void {
  const known = readConfirmation(folder)
  if (known !== undefined)
    throw new TillageError(
      'NOT_ALLOWED',
      `${known.by} has confirmed the discrepancy of ${folder.audit} at ${known.confirmedAt}; ` +
        'the clocks run since then',
      { remedy: 'tillage status shows them; tillage audit done says that a step was done.' },
    )
}

export function keepStepDone(folder: AuditFolder, done: StepDone): void {
  const known = readStepDone(folder, done.step)
  if (readConfirmation(folder) === undefined || known !== undefined)
    throw new TillageError(
      'NOT_ALLOWED',
      known === undefined
        ? `nobody has confirmed a discrepancy of ${folder.audit}, so no clock runs`
        : `the ${done.step} of ${folder.audit} was done by ${known.by} at ${known.doneAt}`,
      { remedy: 'Nothing was recorded.' },
    )
  writeOnce(join(folder.path, stepFile(done.step)), asText(done))
}

const asText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

export const readConfirmation = (folder: AuditFolder): Confirmation | undefined =>
  read(join(folder.path, CONFIRMATION)) as Confirmation | undefined

export const readStepDone = (folder: AuditFolder, step: Step): StepDone | undefined =>
  read(join(folder.path, stepFile(step))) as StepDone | undefined

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
