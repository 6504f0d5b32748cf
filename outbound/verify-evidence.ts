import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sha256Of } from '../sha256.ts'
import { evidenceName, findManifestOf, parseEvidence } from './evidence.ts'
import type { EvidenceManifest } from './evidence.ts'
import { followReceipts, parseReceipt } from './receipt.ts'

export interface EvidenceProblem {
  path: string
  problem: 'missing' | 'another content' | 'does not follow' | 'unknown' | 'another approver'
  detail: string
}

export interface EvidenceReport {
  manifest: string
  store: string | undefined
  revision: number | undefined
  filesChecked: number
  /** Manifests, or receipts, before this one, whose hashes were followed; newest first. */
  chain: string[]
  problems: EvidenceProblem[]
}

/**
 * Checks a receipt, or the manifest of an audit's folder: the files that it names, the chain behind
 * it, and that it is the one which its successor followed (INV-9). Undefined: it is neither.
 */
export function verifyEvidence(path: string): EvidenceReport | undefined {
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  if (parseReceipt(text) !== undefined) return verifyReceipt(path, text)
  const evidence = parseEvidence(text)
  return evidence === undefined ? undefined : verifyFolder(path, evidence)
}

/**
 * By its own chain, and by the newest manifest that names it: the last one has no successor. The
 * folder of a push has no manifest, so the chain is all that there is.
 */
function verifyReceipt(path: string, text: string): EvidenceReport {
  const { chain, problems } = followReceipts(path)
  const vouched = findManifestOf(path)
  const found = sha256Of(text)
  return {
    manifest: vouched?.manifest ?? '',
    store: undefined,
    revision: undefined,
    filesChecked: chain.length + 1,
    chain,
    problems: isOfPush(path) ? problems : [...problems, ...judgeLast(path, found, vouched)],
  }
}

const isOfPush = (receipt: string): boolean =>
  existsSync(join(dirname(dirname(receipt)), 'plan.jsonl'))

function judgeLast(
  path: string,
  found: string,
  vouched: ReturnType<typeof findManifestOf>,
): EvidenceProblem[] {
  if (vouched === undefined)
    return [{ path, problem: 'missing', detail: 'no manifest in a folder above names it' }]
  if (vouched.file.sha256 === found) return []
  const detail = `sha256 ${found}, ${vouched.manifest} says ${vouched.file.sha256}`
  return [{ path, problem: 'another content', detail }]
}

function verifyFolder(path: string, evidence: EvidenceManifest): EvidenceReport {
  const folder = dirname(path)
  const report: EvidenceReport = {
    manifest: path,
    store: evidence.store,
    revision: evidence.revision,
    filesChecked: evidence.files.length,
    chain: [],
    problems: [
      ...evidence.files.flatMap(file =>
        checkFile(join(folder, file.path), file.sha256, 'the manifest'),
      ),
      ...compareWithSuccessor(path, evidence),
    ],
  }
  for (let newer = evidence; newer.previous !== null;) {
    const older = join(folder, newer.previous.path)
    const problems = checkFile(older, newer.previous.sha256, 'its successor')
    report.problems.push(...problems)
    if (problems.length > 0) return report
    report.chain.push(older)
    const parsed = parseEvidence(readFileSync(older, 'utf8'))
    const follows = parsed?.id === newer.id && parsed.revision === newer.revision - 1
    if (!follows) return { ...report, problems: [...report.problems, brokenChain(older)] }
    newer = parsed
  }
  return report
}

/** The next manifest beside it says what this one was when it was followed. */
function compareWithSuccessor(path: string, { id, revision }: EvidenceManifest): EvidenceProblem[] {
  const next = join(dirname(path), evidenceName(id, revision + 1))
  const followed = existsSync(next) ? parseEvidence(readFileSync(next, 'utf8'))?.previous : null
  return followed?.path === basename(path) ? checkFile(path, followed.sha256, 'its successor') : []
}

const brokenChain = (path: string): EvidenceProblem => ({
  path,
  problem: 'does not follow',
  detail: 'it is not the revision before',
})

function checkFile(path: string, sha256: string, who: string): EvidenceProblem[] {
  if (!existsSync(path)) return [{ path, problem: 'missing', detail: `${who} names it` }]
  const found = sha256Of(readFileSync(path))
  if (found === sha256) return []
  const detail = `sha256 ${found}, ${who} says ${sha256}`
  return [{ path, problem: 'another content', detail }]
}
