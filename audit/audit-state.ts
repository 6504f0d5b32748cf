import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfirmation } from './confirmation.ts'
import { newestReportName } from './folder.ts'
import type { AuditFolder } from './folder.ts'

/** How far an audit is. */
export type AuditState = 'counting' | 'reported' | 'confirmed' | 'discarded'

/** A named person's word that nobody counts an audit to its end. */
export interface Discard {
  audit: string
  store: string
  by: string
  reason: string
  /** ISO, UTC. */
  discardedAt: string
}

/** What became of an audit after its snapshot, as its folder has it. */
export interface AuditRecords {
  isConfirmed: boolean
  isReported: boolean
  /** That were made of its counts. */
  plans: readonly string[]
  discard: Discard | undefined
}

export const discardPath = ({ path }: AuditFolder): string => join(path, 'discarded.json')

export function recordsOf(folder: AuditFolder): AuditRecords {
  const [plans, discard] = [join(folder.path, 'plans'), discardPath(folder)]
  return {
    isConfirmed: readConfirmation(folder) !== undefined,
    isReported: newestReportName(folder) !== undefined,
    plans: existsSync(plans) ? readdirSync(plans).toSorted() : [],
    discard: existsSync(discard)
      ? (JSON.parse(readFileSync(discard, 'utf8')) as Discard)
      : undefined,
  }
}

/**
 * What was counted is evidence: where a report or a plan was under way while somebody discarded the
 * audit, it is not discarded. Pure.
 */
export function stateOf({ isConfirmed, isReported, plans, discard }: AuditRecords): AuditState {
  if (isConfirmed) return 'confirmed'
  if (isReported) return 'reported'
  return discard === undefined || plans.length > 0 ? 'counting' : 'discarded'
}

/** The word by which it is discarded; undefined: it is not. Pure. */
export const discardOf = (records: AuditRecords): Discard | undefined =>
  stateOf(records) === 'discarded' ? records.discard : undefined

/** Whether nobody has made anything of its counts, so that it may be discarded. Pure. */
export const isUncounted = (records: AuditRecords): boolean =>
  stateOf(records) === 'counting' && records.plans.length === 0
