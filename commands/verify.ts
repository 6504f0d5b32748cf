import { statSync } from 'node:fs'
import { isDatabase, keepsAuditLog, readAuditLog } from '../connectors/database.ts'
import type { PeriodEvent } from '../connectors/destination/given-out.ts'
import { UsageError } from '../errors.ts'
import { openMemory } from '../exports/memory.ts'
import type { Manifest } from '../exports/revisions/manifest.ts'
import { verifyTotals } from '../exports/revisions/verify-totals.ts'
import { readManifest, verifyManifest } from '../exports/revisions/verify.ts'
import { verifyEvidence } from '../outbound/verify-evidence.ts'
import type { EvidenceReport } from '../outbound/verify-evidence.ts'
import { describePeriodEvent } from './books/period-events.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { countOf, formatNumber } from './terminal/number.ts'
import { pathFromHere } from './terminal/started-as.ts'
import { formatTable } from './terminal/table.ts'

/**
 * `tillage verify MANIFEST`, or the path of a database for its audit log: 0 if every file is there
 * as it was written, adds up to its control totals and the chain holds, 1 if not. Needs no network.
 */
export async function verify(
  { terminal }: Pick<Context, 'terminal'>,
  _options: object,
  manifest: string,
): Promise<number> {
  if (statSync(manifest, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(
      `${manifest} is a folder`,
      'Name a manifest in it, manifest_STORE_DAY_rN.json, or a receipt.',
    )
  if (isDatabase(manifest)) return verifyDatabase(terminal, manifest)
  const evidence = verifyEvidence(manifest)
  if (evidence !== undefined) return printEvidence(terminal, evidence)
  const report = verifyManifest(manifest)
  const contents = readManifest(manifest, undefined, { ...report, problems: [] })
  if (contents !== undefined)
    report.problems.push(
      ...(await verifyTotals(manifest, contents, new Set(report.problems.map(({ path }) => path)))),
    )
  const { problems, filesChecked, chain } = report
  if (terminal.json) terminal.print(JSON.stringify(report))
  else if (problems.length === 0)
    terminal.print(
      [
        `${describeFiles(filesChecked)}; ${describeChain(chain.length, report.revision)}`,
        ...describePeriod(contents),
        ...describeFollower(report.followedBy),
      ].join('\n'),
    )
  else terminal.print(problemTable(problems))
  return problems.length === 0 ? 0 : 1
}

const describeFiles = (count: number): string =>
  count === 1
    ? '1 file is as it was written and adds up to its totals'
    : `${countOf(count, 'file')} are as they were written and add up to their totals`

/** What was written of a day whose books were closed says so. */
function describePeriod(contents: Manifest | undefined): string[] {
  const { days, books: { closedThrough = '' } = {} } = contents!
  return closedThrough < days.from
    ? []
    : [`the books were closed through ${closedThrough} when this was written`]
}

/** A database of ours: its audit log. */
function verifyDatabase(terminal: Context['terminal'], path: string): number {
  const { entries, breaks } = readAuditLog(path)
  const periods = keepsAuditLog(path) ? periodsIn(path) : []
  if (terminal.json) terminal.print(JSON.stringify({ auditLog: entries.length, breaks, periods }))
  else if (breaks.length > 0) terminal.print(breaks.join('\n'))
  else
    terminal.print(
      [describeAuditLog(entries.length), ...periods.map(describePeriodEvent)].join('\n'),
    )
  return breaks.length === 0 ? 0 : 1
}

function describeAuditLog(entries: number): string {
  if (entries === 0) return 'the audit log has no entry yet'
  if (entries === 1) return 'the one entry of the audit log is as it was written'
  return `the ${countOf(entries, 'entry', 'entries')} of the audit log are as they were written`
}

/** Who closed and reopened the books of which month. */
function periodsIn(path: string): PeriodEvent[] {
  const memory = openMemory(path, { readonly: true })
  try {
    return memory.periods()
  } finally {
    memory.close()
  }
}

const problemTable = (
  problems: readonly { problem: string; path: string; detail: string }[],
): string =>
  formatTable(
    ['problem', 'file', 'detail'],
    problems.map(({ problem, path, detail }) => [problem, path, detail]),
    { below: 'file' },
  )

const describeWritten = (count: number): string =>
  count === 1 ? '1 file is as it was written' : `${countOf(count, 'file')} are as they were written`

/** Receipts, and the folders of audits and pushes. */
function printEvidence(terminal: Context['terminal'], report: EvidenceReport): number {
  const { problems, filesChecked, chain } = report
  if (terminal.json) terminal.print(JSON.stringify(report))
  else if (problems.length === 0)
    terminal.print(
      `${describeWritten(filesChecked)}; ` +
        `${chain.length === 0 ? 'nothing' : formatNumber(chain.length)} before it in the chain.`,
    )
  else terminal.print(problemTable(problems))
  return problems.length === 0 ? 0 : 1
}

/** An addition to a revision has a manifest of its own in the chain. */
function describeChain(earlier: number, revision = 0): string {
  if (earlier > 0) return `the chain of ${countOf(earlier, 'earlier manifest')} holds`
  return revision === 0 ? 'this is the first revision' : 'no earlier manifest was given out here'
}

/** Whoever imported these files looks for what has changed since. */
const describeFollower = (path: string | undefined): string[] =>
  path === undefined ? [] : [`it was followed by ${pathFromHere(path)}`]

export const command = declareCommand({
  takes: '<manifest>',
  choose:
    'For example: tillage verify tillage-data/exports/STORE/DAY/manifest_STORE_DAY_r0.json. ' +
    'Every export has one, and names it at its end.',
  notes:
    'Files, their hashes, their control totals, and the chain of manifests. Of a database: ' +
    'the chain of its audit log.',
  storeless: true,
  run: verify,
})
