import { existsSync, statSync } from 'node:fs'
import type { Config } from '../config.ts'
import { isDatabase } from '../connectors/database.ts'
import { placeOf } from '../connectors/server-address.ts'
import { UsageError } from '../errors.ts'
import type { Manifest } from '../exports/revisions/manifest.ts'
import { verifyTotals } from '../exports/revisions/verify-totals.ts'
import { readManifest, verifyManifest } from '../exports/revisions/verify.ts'
import { isObjectAddress } from '../objects/place.ts'
import { compareWithLog } from '../outbound/compare-written.ts'
import { verifyEvidence } from '../outbound/verify-evidence.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { countOf, formatNumber } from './terminal/number.ts'
import { pathFromHere } from './terminal/started-as.ts'
import { formatTable } from './terminal/table.ts'
import { verifyDatabase } from './verify/database.ts'
import { verifyFromBucket } from './verify/from-bucket.ts'
import { checkHead, printHead } from './verify/head.ts'
import { isThereConfig, logAtHand } from './verify/log-at-hand.ts'
import type { LogAtHand, LogOptions } from './verify/log-at-hand.ts'

type VerifyContext = Pick<Context, 'terminal' | 'config'>

interface VerifyOptions extends LogOptions {
  printHead?: boolean
  head?: string
}

/**
 * `tillage verify FILE`: a manifest, a receipt, or a database for its audit log. 0 if every file is
 * there as it was written, adds up to its control totals, the chain holds and the database says the
 * same, 1 if not. Needs no network but for what lies in a bucket.
 */
export async function verify(
  context: VerifyContext,
  options: VerifyOptions,
  file?: string,
): Promise<number> {
  if (options.printHead === true) return printHead(context, options, file)
  if (options.head !== undefined) return checkHead(context, options, file)
  if (file === undefined)
    throw new UsageError('no file was named', `${CHOOSE} Or --print-head, or --head LINE.`)
  if (isObjectAddress(file)) return verifyObject(context, options, file)
  return verifyFile(context, options, file)
}

/** Fetched first. The configuration is read only where somebody needs it. */
const verifyObject = (
  context: VerifyContext,
  options: VerifyOptions,
  address: string,
): Promise<number> =>
  verifyFromBucket(context.terminal, bucketOfConfig(context, options), address, (terminal, path) =>
    verifyFile(
      {
        terminal,
        get config() {
          return context.config
        },
      },
      options,
      path,
    ),
  )

/** Without tillage.yaml, its provider's own settings say how a bucket is reached. */
const bucketOfConfig = (
  context: Pick<Context, 'config'>,
  { config }: LogOptions,
): Config['objects'] => (isThereConfig(config) ? context.config.objects : undefined)

async function verifyFile(
  context: VerifyContext,
  options: LogOptions,
  file: string,
): Promise<number> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(
      `${file} is a folder`,
      'Name a manifest in it, manifest_STORE_DAY_rN.json, or a receipt.',
    )
  if (await isDatabase(file)) return verifyDatabase(context.terminal, file)
  const found = judgeEvidence(file) ?? (await judgeExport(file))
  const atHand = await logAtHand(context, options)
  return print(context, withLog(file, found, atHand), atHand)
}

interface Found {
  report: { problems: { path: string; problem: string; detail: string }[] }
  /** What is said where there is no problem. */
  lines: readonly string[]
}

/** Receipts, and the folders of audits. */
function judgeEvidence(path: string): Found | undefined {
  const report = verifyEvidence(path)
  if (report === undefined) return undefined
  const { filesChecked, chain } = report
  const before = chain.length === 0 ? 'nothing' : formatNumber(chain.length)
  return { report, lines: [`${describeWritten(filesChecked)}; ${before} before it in the chain.`] }
}

async function judgeExport(path: string): Promise<Found> {
  const report = verifyManifest(path)
  const contents = readManifest(path, undefined, { ...report, problems: [] })
  if (contents === undefined) return { report, lines: [] }
  const isBent = new Set(report.problems.map(one => one.path))
  report.problems.push(...(await verifyTotals(path, contents, isBent)))
  const { filesChecked, chain, revision, followedBy } = report
  const lines = [
    `${describeFiles(filesChecked)}; ${describeChain(chain.length, revision)}`,
    ...describePeriod(contents),
    ...describeFollower(followedBy),
  ]
  return { report, lines }
}

/** The same, and what the database says against it. */
function withLog(path: string, { report, lines }: Found, atHand: LogAtHand | undefined): Found {
  if (atHand === undefined || !existsSync(path)) return { report, lines }
  const { database, log } = atHand
  const broken = log.breaks.map(detail => ({ path: database, problem: 'broken log', detail }))
  const known = new Set(report.problems.map(one => one.path))
  const others = compareWithLog(path, log.written).filter(one => !known.has(one.path))
  return { report: { ...report, problems: [...report.problems, ...broken, ...others] }, lines }
}

function print(
  { terminal }: Pick<Context, 'terminal'>,
  { report, lines }: Found,
  atHand: LogAtHand | undefined,
): number {
  const { problems } = report
  const comparedWith = atHand === undefined ? null : placeOf(atHand.database)
  if (terminal.json) terminal.print(JSON.stringify({ ...report, comparedWith }))
  else if (problems.length > 0) terminal.print(problemTable(problems))
  else terminal.print([...lines, describeCompared(atHand)].join('\n'))
  return problems.length === 0 ? 0 : 1
}

const describeCompared = (atHand: LogAtHand | undefined): string =>
  atHand === undefined
    ? 'only the folder was looked at: whoever can write it could have made all of it'
    : `${pathFromHere(placeOf(atHand.database))} has the same in its audit log`

const problemTable = (problems: Found['report']['problems']): string =>
  formatTable(
    ['problem', 'file', 'detail'],
    problems.map(({ problem, path, detail }) => [problem, path, detail]),
    { below: 'file' },
  )

const describeFiles = (count: number): string =>
  count === 1
    ? '1 file is as it was written and adds up to its totals'
    : `${countOf(count, 'file')} are as they were written and add up to their totals`

const describeWritten = (count: number): string =>
  count === 1 ? '1 file is as it was written' : `${countOf(count, 'file')} are as they were written`

/** What was written of a day whose books were closed says so. */
function describePeriod({ days, books }: Manifest): string[] {
  const closedThrough = books?.closedThrough ?? ''
  return closedThrough < days.from
    ? []
    : [`the books were closed through ${closedThrough} when this was written`]
}

/** An addition to a revision has a manifest of its own in the chain. */
function describeChain(earlier: number, revision = 0): string {
  if (earlier > 0) return `the chain of ${countOf(earlier, 'earlier manifest')} holds`
  return revision === 0 ? 'this is the first revision' : 'no earlier manifest was given out here'
}

/** Whoever imported these files looks for what has changed since. */
const describeFollower = (path: string | undefined): string[] =>
  path === undefined ? [] : [`it was followed by ${pathFromHere(path)}`]

const CHOOSE =
  'For example: tillage verify tillage-data/exports/STORE/DAY/manifest_STORE_DAY_r0.json. ' +
  'Every export has one, and names it at its end.'

export const command = declareCommand<VerifyOptions, [string?]>({
  takes: '[file]',
  options: [
    option('--database <file>', 'database to compare with (default: that of tillage.yaml)'),
    option('--folder-only', 'do not compare with a database'),
    option('--print-head', "print the audit log's last number and hash, to keep elsewhere"),
    option('--head <line>', 'check that the audit log continues from a line of --print-head'),
  ],
  notes: [
    'FILE is a manifest, a receipt, or a database for the chain of its audit log; of what lies in',
    'a bucket, its address: s3://BUCKET/PREFIX/STORE/DAY/manifest_STORE_DAY_rN.json.',
    'It checks files, hashes, control totals and the chain of manifests or receipts, and compares',
    'each plan, approval, receipt and manifest with the audit log of the database.',
  ].join('\n'),
  storeless: true,
  run: verify,
})
