import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toIso } from '../calendar/days.ts'
import { TillageError, UsageError } from '../errors.ts'
import { nameKey } from '../outbound/approval.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { readCsv } from '../text/read-csv.ts'
import { clocksOf } from './clocks.ts'
import type { Step } from './clocks.ts'
import { keepConfirmation, keepStepDone, keepWithdrawal, refuseConfirmed } from './confirmation.ts'
import type { Confirmation, SignedReason, StepDone, Withdrawal } from './confirmation.ts'
import { refuseDiscardedAudit } from './discard.ts'
import { newestReportName, readSnapshot } from './folder.ts'
import type { AuditFolder } from './folder.ts'
import { noticePage } from './notice-page.ts'
import type { NoticeLine } from './notice-page.ts'
import { NOT_JUDGED, NOT_SIGNIFICANT, SIGNIFICANT } from './report/verdict.ts'
import { rulesFor } from './settings.ts'
import type { AuditSettings, ReconcileSettings } from './settings.ts'

export interface Confirmed {
  confirmation: Confirmation
  /** The notification, filled in as far as the audit knows it. */
  draft: string
}

/** What the newest report says of the discrepancy. */
export interface ReportSays {
  /** At cost, at retail; none where it does not call it significant. */
  significant: string[]
  /** What it says where it does not: that it is not, or why it does not judge. */
  otherwise: string | undefined
  /** It says that it is not: who confirms it contradicts the report. */
  isContradiction: boolean
}

export const verdictOfReport = (folder: AuditFolder): ReportSays =>
  saysOf(newestReport(folder).exceptions)

function saysOf(exceptions: readonly NoticeLine[]): ReportSays {
  const of = (code: string): string[] =>
    exceptions.filter(one => one['code'] === code).map(({ detail = '' }) => detail)
  const [significant, denied] = [of(SIGNIFICANT), of(NOT_SIGNIFICANT)]
  return {
    significant,
    otherwise: [...denied, ...of(NOT_JUDGED)][0],
    isContradiction: denied.length > 0,
  }
}

/**
 * A named approver confirms that the discrepancy of an audit is significant: the clocks of the
 * rules start, and a draft of the notification is written. Nobody is told anything by the program.
 * Refuses to contradict the newest report, unless the word says that it means to. The caller seals
 * the folder.
 */
export function confirmDiscrepancy(
  folder: AuditFolder,
  word: SignedReason & { isAgainstReport?: boolean },
  settings: AuditSettings,
): Confirmed {
  const by = approverOf(word.by, settings)
  const report = newestReport(folder)
  const { significant, otherwise, isContradiction } = saysOf(report.exceptions)
  if (isContradiction && word.isAgainstReport !== true) throw contradicts()
  const { timeZone, storeName, storeLicense } = readSnapshot(folder)
  const { audit, store } = folder
  const confirmation: Confirmation = {
    audit,
    store,
    by,
    reason: word.reason,
    confirmedAt: toIso(word.nowMs),
    significant,
    ...(otherwise === undefined ? {} : { reportSays: otherwise }),
    clocks: clocksOf(word.nowMs, timeZone, settings, rulesFor(settings, storeLicense)),
  }
  refuseConfirmed(folder)
  // The draft first: a confirmation that is there is never made again, and neither is its draft.
  const stamp = confirmation.confirmedAt.replaceAll(/[-:.]/g, '')
  const draft = join(folder.path, 'discrepancy', `notice-draft_${store}_${audit}_${stamp}.html`)
  const about = {
    storeName: storeName ?? store,
    license: storeLicense ?? '',
    timeZone,
    currency: settings.currency,
  }
  const outside = report.lines.filter(line => line['in_tolerance'] === 'false')
  writeOnce(draft, noticePage(confirmation, about, outside))
  keepConfirmation(folder, confirmation)
  return { confirmation, draft }
}

const contradicts = (): UsageError =>
  new UsageError(
    'the newest report says that the discrepancy is not significant',
    'Nothing was recorded. If it is significant anyway, add --against-report.',
  )

/**
 * A named approver takes the confirmation back; its clocks stop, and both stay on record. The
 * caller seals the folder.
 */
export function withdrawConfirmation(
  folder: AuditFolder,
  { by, reason, nowMs }: SignedReason,
  settings: ReconcileSettings,
): Withdrawal {
  const { audit, store } = folder
  const who = approverOf(by, settings)
  const withdrawal = { audit, store, by: who, reason, withdrawnAt: toIso(nowMs) }
  keepWithdrawal(folder, withdrawal)
  return withdrawal
}

/** A named approver says that a step was done; its clock stops. The caller seals the folder. */
export function finishStep(
  folder: AuditFolder,
  step: Step,
  { by, reason, nowMs }: SignedReason,
  settings: ReconcileSettings,
): StepDone {
  const { audit, store } = folder
  const who = approverOf(by, settings)
  const done = { audit, store, step, by: who, reference: reason, doneAt: toIso(nowMs) }
  keepStepDone(folder, done)
  return done
}

function approverOf(name: string, { approvers }: ReconcileSettings): string {
  const found = approvers.find(one => nameKey(one.name) === nameKey(name))
  if (found !== undefined) return found.name
  const known = approvers.map(one => one.name).join(', ')
  throw new TillageError('NOT_ALLOWED', `${name} is not an approver`, {
    remedy: `Nothing was recorded. Approvers of tillage.yaml are: ${known || 'none yet'}.`,
  })
}

interface ReportTables {
  lines: NoticeLine[]
  exceptions: NoticeLine[]
}

function newestReport(folder: AuditFolder): ReportTables {
  refuseDiscardedAudit(folder)
  const { path, audit, store } = folder
  const newest = newestReportName(folder)
  if (newest === undefined)
    throw new UsageError(
      `there is no report of ${audit} yet`,
      `Nothing was recorded. Make it first: tillage audit report ${audit} --counts FILE`,
    )
  const read = (dataset: string): NoticeLine[] => {
    const file = join(path, 'reports', newest, `${dataset}_${store}_${audit}.csv`)
    return readCsv(readFileSync(file, 'utf8'), file)
  }
  return { lines: read('inventory_audit'), exceptions: read('inventory_audit_exceptions') }
}
