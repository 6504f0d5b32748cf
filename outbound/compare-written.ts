/**
 * Files of evidence against what the audit log of the database has of them: whoever can write a
 * folder can make all of it anew, hashes and chains included, and not the log.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { WrittenEvidence } from '../connectors/destination/written-evidence.ts'
import { sha256Of } from '../sha256.ts'
import { parseReceipt, receiptName } from './receipt.ts'
import type { EvidenceProblem } from './verify-evidence.ts'

type Written = readonly WrittenEvidence[]
type OfPlan = readonly Extract<WrittenEvidence, { plan: string }>[]

/** What the log says against a manifest or a receipt, and against what lies beside and below it. */
export function compareWithLog(path: string, written: Written): EvidenceProblem[] {
  const folder = dirname(path)
  const plan = parseReceipt(readFileSync(path, 'utf8'))?.plan_id
  if (plan !== undefined) return compareReceipts(folder, plan, written)
  return [
    ...compareManifests(path, written),
    ...globSync('plans/*/', { cwd: folder }).flatMap(inner =>
      compareReceipts(join(folder, inner, 'receipts'), basename(inner), written),
    ),
  ]
}

const MANIFEST = /_r\d+(-\d+)?\.json$/

/**
 * Each manifest of its chain is one that was written, and those that were written into its folder
 * after it are there: none was cut off at the end.
 */
function compareManifests(path: string, written: Written): EvidenceProblem[] {
  const folder = dirname(path)
  const span = (name: string): string => name.replace(MANIFEST, '')
  const isOfSpan = (name: string): boolean =>
    MANIFEST.test(name) && span(name) === span(basename(path))
  const known = written.filter(one => one.kind === 'manifest').filter(({ name }) => isOfSpan(name))
  const own = known.findLastIndex(({ name }) => name === basename(path))
  const later = known.slice(own + 1).filter(one => one.folder === known[own]?.folder)
  return [
    ...readdirSync(folder)
      .filter(isOfSpan)
      .flatMap(name => {
        const same = known.filter(one => one.name === name)
        return compareFile(
          join(folder, name),
          same.map(({ sha256 }) => sha256),
        )
      }),
    ...later.flatMap(({ name }) => findMissing(join(folder, name))),
  ]
}

/** The plan is the one that was written, and its receipts are those that were, none cut off. */
function compareReceipts(folder: string, plan: string, written: Written): EvidenceProblem[] {
  const ofPlan = written.filter(one => 'plan' in one).filter(one => one.plan === plan)
  const document = documentOf(folder, plan)
  const planned = ofPlan.filter(({ kind }) => kind === 'plan').map(({ sha256 }) => sha256)
  const receipts = ofPlan.filter(one => one.kind === 'receipt')
  const present = existsSync(folder) ? readdirSync(folder) : []
  const isReceipt = (name: string): boolean => name.startsWith(`receipt_${plan}_`)
  return [
    ...(existsSync(document) ? compareFile(document, planned) : []),
    ...present.filter(isReceipt).flatMap(name => {
      const known = receipts.filter(({ seq }) => receiptName(plan, seq) === name)
      const path = join(folder, name)
      const problems = compareFile(
        path,
        known.map(({ sha256 }) => sha256),
      )
      return problems.length > 0 ? problems : compareApprovers(path, ofPlan, planned)
    }),
    ...receipts.flatMap(({ seq }) => findMissing(join(folder, receiptName(plan, seq)))),
  ]
}

/** As pushes and reconciliations keep it beside the folder of the receipts. */
function documentOf(receipts: string, plan: string): string {
  const ofPush = join(dirname(receipts), 'plan.jsonl')
  return existsSync(ofPush) ? ofPush : join(dirname(receipts), `reconciliation_plan_${plan}.json`)
}

/** One text with commas of a push, a list of a reconciliation. */
interface Approved {
  approved_by?: string | readonly string[]
}

/** Whoever a receipt says allowed it has approved this document. */
function compareApprovers(
  path: string,
  ofPlan: OfPlan,
  planned: readonly string[],
): EvidenceProblem[] {
  const { approved_by: named = '' } = JSON.parse(readFileSync(path, 'utf8')) as Approved
  const known = ofPlan.flatMap(one =>
    one.kind === 'approval' && planned.includes(one.sha256) ? [one.by] : [],
  )
  const names = typeof named === 'string' ? named.split(', ') : named
  const strangers = names.filter(name => name !== '' && !known.includes(name))
  return strangers.map(name => ({
    path,
    problem: 'another approver',
    detail: `${name} approved it, says the receipt; the database has no such approval`,
  }))
}

function compareFile(path: string, written: readonly string[]): EvidenceProblem[] {
  const found = sha256Of(readFileSync(path))
  if (written.includes(found)) return []
  const last = written.at(-1)
  return [
    last === undefined
      ? { path, problem: 'unknown', detail: 'the database knows no such file' }
      : { path, problem: 'another content', detail: `sha256 ${found}, the database says ${last}` },
  ]
}

const findMissing = (path: string): EvidenceProblem[] =>
  existsSync(path) ? [] : [{ path, problem: 'missing', detail: 'the database says it was written' }]
