import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type {
  Approval,
  OutboundOperation,
  OutboundTables,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import { sha256Of } from '../sha256.ts'
import { refuseOther, removeLeftovers, writeOnce } from './write-once.ts'

/**
 * Who allowed an operation, as it was judged right before it was sent: whoever may approve later is
 * another matter. Only who has approved the plan counts. Undefined: it was found without having
 * been sent from here.
 */
export const allowedBy = (
  { allowedBy: names }: OutboundOperation['facts'],
  approvals: readonly Approval[],
): string[] | undefined =>
  Array.isArray(names)
    ? (names as string[]).filter(name => approvals.some(({ by }) => by === name))
    : undefined

/** What a receipt says besides its place in the chain: the shape belongs to the kind of plan. */
export type ReceiptContent = Readonly<Record<string, unknown>> & { plan_id: string; op_id: string }

/**
 * Writes the receipt of an operation, once: the database first, which orders the chain, then the
 * file. Called again after a crash it finishes what is missing and changes nothing.
 */
export async function writeReceipt(
  store: OutboundTables,
  folder: string,
  content: ReceiptContent,
): Promise<StoredReceipt> {
  const { plan_id: plan, op_id: op } = content
  for (;;) {
    const known = await store.receipt(plan, op)
    if (known !== undefined) {
      writeOnce(receiptPath(folder, known), known.body)
      return known
    }
    const last = await store.lastReceipt(plan)
    // Whoever wrote it may have died between the database and the file.
    if (last !== undefined) writeOnce(receiptPath(folder, last), last.body)
    const before = newestInFolder(folder, plan, last)
    const seq = (before?.seq ?? 0) + 1
    const previousSha256 = before?.sha256 ?? null
    const document = { seq, ...content, previous_sha256: previousSha256 }
    const body = `${JSON.stringify(document, null, 2)}\n`
    const receipt = { plan, seq, op, sha256: sha256Of(body), previousSha256, body }
    // What is in the way of the file is told before the database says that it was written.
    if (existsSync(receiptPath(folder, receipt))) refuseOther(receiptPath(folder, receipt), body)
    if (!(await store.addReceipt(receipt, last))) continue
    writeOnce(receiptPath(folder, receipt), body)
    return receipt
  }
}

/**
 * A database that came back from a backup does not know the receipts that were written since: they
 * stay as they are, and the chain goes on after them. `verify` says which ones it does not know.
 */
function newestInFolder(
  folder: string,
  plan: string,
  last: Pick<StoredReceipt, 'seq' | 'sha256'> | undefined,
): Pick<StoredReceipt, 'seq' | 'sha256'> | undefined {
  let newest = last
  for (;;) {
    const seq = (newest?.seq ?? 0) + 1
    const path = receiptPath(folder, { plan, seq })
    if (!existsSync(path)) return newest
    const text = readFileSync(path, 'utf8')
    const place = { plan_id: plan, seq, previous_sha256: newest?.sha256 ?? null }
    if (!standsAt(parseReceipt(text), place)) return newest
    newest = { seq, sha256: sha256Of(text) }
  }
}

const standsAt = (
  receipt: ReceiptFile | undefined,
  { plan_id: plan, seq, previous_sha256: previous }: Omit<ReceiptFile, 'op_id'>,
): boolean =>
  receipt?.plan_id === plan && receipt.seq === seq && receipt.previous_sha256 === previous

/**
 * Writes the files of receipts that the database has and the disk has not: their process died
 * between the two, and what it left half-way below `folder` goes. A file that is there is left as
 * it is; `verify` judges it.
 */
export function restoreReceipts(
  folder: string,
  documentPath: string,
  receipts: readonly StoredReceipt[],
): void {
  removeLeftovers(folder, Date.now())
  for (const receipt of receipts) {
    const path = receiptPath(receiptsFolder(documentPath), receipt)
    if (!existsSync(path)) writeOnce(path, receipt.body)
  }
}

/** Receipts lie beside the document of their plan. */
export const receiptsFolder = (documentPath: string): string =>
  join(dirname(documentPath), 'receipts')

export const receiptPath = (
  folder: string,
  { plan, seq }: Pick<StoredReceipt, 'plan' | 'seq'>,
): string => join(folder, receiptName(plan, seq))

export const receiptName = (plan: string, seq: number): string =>
  `receipt_${plan}_${String(seq).padStart(4, '0')}.json`

interface ReceiptFile {
  seq: number
  plan_id: string
  op_id: string
  previous_sha256: string | null
}

/** Undefined where the text is no receipt of ours. */
export function parseReceipt(text: string): ReceiptFile | undefined {
  let parsed: Partial<ReceiptFile> | null
  try {
    parsed = JSON.parse(text) as Partial<ReceiptFile> | null
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const { seq, plan_id: plan, op_id: op, previous_sha256: previous } = parsed
  const isOurs =
    Number.isInteger(seq) &&
    typeof plan === 'string' &&
    typeof op === 'string' &&
    (previous === null || /^[0-9a-f]{64}$/.test(String(previous)))
  return isOurs ? (parsed as ReceiptFile) : undefined
}

export interface ChainReport {
  /** Receipts before this one, newest first. */
  chain: string[]
  problems: {
    path: string
    problem: 'missing' | 'another content' | 'does not follow'
    detail: string
  }[]
}

/**
 * Follows the receipts of a plan back from one to the first, by their hashes, and looks at its
 * successor, whose word on it counts too. Reads nothing but the folder that it lies in.
 */
export function followReceipts(path: string): ChainReport {
  const report: ChainReport = { chain: [], problems: [] }
  const folder = dirname(path)
  const bytes = readFileSync(path)
  let newer = parseReceipt(bytes.toString('utf8'))!
  const next = join(folder, receiptName(newer.plan_id, newer.seq + 1))
  const successor = existsSync(next) ? parseReceipt(readFileSync(next, 'utf8')) : undefined
  if (successor !== undefined && successor.previous_sha256 !== sha256Of(bytes))
    report.problems.push({
      path,
      problem: 'another content',
      detail: `sha256 ${sha256Of(bytes)}, its successor says ${successor.previous_sha256}`,
    })
  while (newer.seq > 1) {
    const older = join(folder, receiptName(newer.plan_id, newer.seq - 1))
    const problem = explainOlder(older, newer)
    if (problem !== undefined) {
      report.problems.push({ path: older, ...problem })
      return report
    }
    report.chain.push(older)
    newer = parseReceipt(readFileSync(older, 'utf8'))!
  }
  if (newer.previous_sha256 !== null)
    report.problems.push({
      path,
      problem: 'does not follow',
      detail: 'the first receipt of a plan names a predecessor',
    })
  return report
}

function explainOlder(
  path: string,
  newer: ReceiptFile,
): Omit<ChainReport['problems'][number], 'path'> | undefined {
  if (!existsSync(path)) return { problem: 'missing', detail: `receipt ${newer.seq} follows it` }
  const bytes = readFileSync(path)
  const found = sha256Of(bytes)
  if (found !== newer.previous_sha256)
    return {
      problem: 'another content',
      detail: `sha256 ${found}, its successor says ${newer.previous_sha256}`,
    }
  const older = parseReceipt(bytes.toString('utf8'))
  return older?.plan_id === newer.plan_id && older.seq === newer.seq - 1
    ? undefined
    : { problem: 'does not follow', detail: `receipt ${newer.seq} names it as its predecessor` }
}
