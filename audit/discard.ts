import { toIso, toMinute } from '../calendar/days.ts'
import { TillageError, UsageError } from '../errors.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { discardOf, discardPath, isUncounted, recordsOf, stateOf } from './audit-state.ts'
import type { AuditRecords, Discard } from './audit-state.ts'
import type { SignedReason } from './confirmation.ts'
import type { AuditFolder } from './folder.ts'

/**
 * A person gives an audit up: nobody counts it any more, and its folder stays. Answers the first
 * word where there is one already. Refused where something was made of its counts. The caller seals
 * the folder.
 */
export function discardAudit(folder: AuditFolder, word: SignedReason): Discard {
  const [by, reason] = [word.by.trim(), word.reason.trim()]
  if (by === '') throw new UsageError('--by is empty', 'Give the name of a person.')
  if (reason === '') throw new UsageError('--reason is empty', 'Say why the audit is given up.')
  const records = recordsOf(folder)
  const before = discardOf(records)
  if (before !== undefined) return before
  if (!isUncounted(records)) throw evidenceError(folder, records)
  const { audit, store } = folder
  const discard = { audit, store, by, reason, discardedAt: toIso(word.nowMs) }
  writeOnce(discardPath(folder), `${JSON.stringify(discard, null, 2)}\n`)
  return discard
}

function evidenceError({ audit }: AuditFolder, records: AuditRecords): TillageError {
  const state = stateOf(records)
  const [what, ended] =
    state === 'counting'
      ? [
          `${records.plans[0]!} was made of the counts of ${audit}`,
          ` A report ends the count: tillage audit report ${audit} --counts FILE`,
        ]
      : [`${audit} is ${state} already`, '']
  return new TillageError('NOT_ALLOWED', `${what}, and what was counted is evidence`, {
    remedy: `Nothing was recorded.${ended}`,
  })
}

/** `Ana discarded it at 2026-03-08 10:00Z: counted on paper alone`. */
export const describeDiscard = ({ by, reason, discardedAt }: Discard): string =>
  `${by} discarded it at ${toMinute(discardedAt)}Z: ${reason}`

/** Nothing is compared or planned of an audit that was given up. */
export function refuseDiscardedAudit(folder: AuditFolder): void {
  const discard = discardOf(recordsOf(folder))
  if (discard === undefined) return
  throw new TillageError('NOT_ALLOWED', `${folder.audit}: ${describeDiscard(discard)}`, {
    remedy: 'Nothing is made of its counts any more. Begin another: tillage audit snapshot',
  })
}
