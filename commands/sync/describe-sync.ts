import { findStream } from '../../connectors/partner/streams/index.ts'
import { NOT_OFFERED } from '../../reading/check-offered.ts'
import type { StreamFacts, StreamReport, SyncOutcome, SyncReport } from '../../temporal/run-sync.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'

type Line = StreamReport & Pick<StreamFacts, 'stored' | 'tookMs'>

/** This many short lists without problems are one line of the table. */
const FEW = 3

/** `stored` is what the database has now; the others are what this run did. */
const COLUMNS = [
  'store',
  'stream',
  'read',
  'new',
  'changed',
  'rejected',
  'stored',
  'proven',
  'requests',
  'seconds',
]
/** Left out first where the terminal is narrow. */
const MINOR = ['seconds', 'requests', 'changed']

/** One line for each stream. */
export function describeSync({ report, facts }: SyncOutcome, tookMs: number): string {
  const rows = report.stores.flatMap(({ store, streams }) => {
    const lines = streams.map((one): Line => ({
      ...one,
      stored: 0,
      tookMs: 0,
      ...facts.find(fact => fact.store === store && fact.stream === one.stream),
    }))
    return gatherShort(lines).map(
      ({ stream, stored, windows, records, requests, tookMs: streamMs }) => [
        store,
        stream,
        records.fetched,
        records.inserted,
        records.updated,
        records.deadLettered,
        stored,
        `${windows.proven} of ${windows.proven + windows.unproven}`,
        requests,
        (streamMs / 1000).toFixed(1),
      ],
    )
  })
  const proven = report.stores
    .flatMap(store => store.streams)
    .reduce((sum, { windows }) => sum + windows.proven, 0)
  const table = rows.length === 0 ? '' : `${formatTable(COLUMNS, rows, { minor: MINOR })}\n\n`
  return `${table}  ${countOf(proven, 'window')} proven in ${(tookMs / 1000).toFixed(1)} s`
}

/** Optional lists without anything to report share one line; `--json` has each of them. */
function gatherShort(lines: readonly Line[]): Line[] {
  const dull = lines.filter(
    ({ stream, windows, records, deadLetters }) =>
      findStream(stream)?.optional === true &&
      windows.unproven === 0 &&
      records.deadLettered === 0 &&
      deadLetters === 0,
  )
  if (dull.length <= FEW) return [...lines]
  const together = dull.reduce((sum, line) => ({
    ...sum,
    stored: sum.stored + line.stored,
    requests: sum.requests + line.requests,
    tookMs: Math.max(sum.tookMs, line.tookMs),
    windows: { proven: sum.windows.proven + line.windows.proven, unproven: 0 },
    records: {
      ...sum.records,
      fetched: sum.records.fetched + line.records.fetched,
      inserted: sum.records.inserted + line.records.inserted,
      updated: sum.records.updated + line.records.updated,
    },
  }))
  return [
    ...lines.filter(line => !dull.includes(line)),
    { ...together, stream: `${dull.length} other lists` },
  ]
}

/** Whether a finding was told before this run. */
export type IsKnown = (finding: { store: string; stream: string; code: string }) => boolean

/**
 * What a person should look at, in words. One cause is said once, and what the API is known to do
 * is not said in each run, unless it may be why a window is not proven.
 */
export function describeTroubles({ stores }: SyncReport, isKnown: IsKnown = () => false): string[] {
  const told = stores.map(report => {
    const isGone = report.error?.code === 'PARTNER_UNREACHABLE'
    const findings = isGone ? [] : describeFindings(report, isKnown)
    const lines = [
      ...describeNotOffered(report, isKnown),
      ...(isGone
        ? describeGone(report)
        : report.streams.flatMap(stream => describeStream(report.store, stream))),
      ...findings,
      ...describeErrors(report),
    ]
    return { lines, findings }
  })
  const lines = told.flatMap(one => one.lines)
  return told.some(({ findings }) => findings.length > 0) ? [...lines, MEANING] : lines
}

const MEANING = 'What findings mean, and whether there is anything to do: tillage findings'

type StoreReport = SyncReport['stores'][number]

function describeNotOffered({ store, notOffered = [] }: StoreReport, isKnown: IsKnown): string[] {
  const news = notOffered.filter(stream => !isKnown({ store, stream, code: NOT_OFFERED }))
  return news.length === 0
    ? []
    : [`${store}: the API does not offer ${news.join(', ')} to this partner key`]
}

/** The API was gone, so that much is not proven for the same reason. */
function describeGone({ store, streams }: StoreReport): string[] {
  const open = streams.filter(({ windows }) => windows.unproven > 0)
  const windows = open.reduce((sum, one) => sum + one.windows.unproven, 0)
  return windows === 0
    ? []
    : [
        `${store}: ${countOf(windows, 'window')} of ` +
          `${countOf(open.length, 'stream')} not proven, ` +
          'because the API did not answer',
      ]
}

const describeStream = (
  store: string,
  { stream, windows, deadLetters }: StreamReport,
): string[] => [
  ...(windows.unproven > 0
    ? [
        `${store} ${stream}: ${countOf(windows.unproven, 'window')} ` +
          `${windows.unproven === 1 ? 'is' : 'are'} not proven. ` +
          `Why: tillage coverage ${stream} --store ${store}`,
      ]
    : []),
  ...(deadLetters > 0
    ? [
        `${store} ${stream}: ${countOf(deadLetters, 'record')} could not be loaded, kept aside. ` +
          `Which, and why: tillage dead-letters list --stream ${stream} --store ${store}`,
      ]
    : []),
]

/** What may be why a window is not proven; of other lists what nobody was told, each code once. */
function describeFindings({ store, streams }: StoreReport, isKnown: IsKnown): string[] {
  const findingsOf = (some: readonly StreamReport[]) =>
    some.flatMap(({ stream, findings }) => findings.map(finding => ({ ...finding, stream })))
  const reasons = findingsOf(streams.filter(({ windows }) => windows.unproven > 0))
  const news = findingsOf(streams.filter(({ windows }) => windows.unproven === 0)).filter(
    ({ stream, code }) => !isKnown({ store, stream, code }),
  )
  const describe = ({ stream, code, detail }: (typeof reasons)[number]): string =>
    `${store} ${stream}: found ${code} (${detail})`
  return [
    ...reasons.map(describe),
    ...[...Map.groupBy(news, ({ code }) => code)].map(([code, [first, ...others]]) => {
      if (others.length === 0) return describe(first!)
      const { stream, detail } = first!
      const names = new Set([first!, ...others].map(other => other.stream))
      return `${store}: found ${code} in ${[...names].join(', ')} (${stream}: ${detail})`
    }),
  ]
}

/** Lists that failed by one code are told together, with what the first of them was answered. */
function describeErrors({ store, streams, error }: StoreReport): string[] {
  const failed = streams.filter(stream => stream.error !== undefined)
  const byCode = [...Map.groupBy(failed, stream => stream.error!.code).values()]
  const told = byCode.map(lists => ({
    ...lists[0]!.error!,
    where: ` in ${lists.map(({ stream }) => stream).join(', ')}`,
  }))
  const ofStore = error === undefined ? [] : [{ ...error, where: '' }]
  return (told.length > 0 ? told : ofStore).map(
    ({ code, where, message, remedy }) =>
      `${store}: ${code}${where}: ${message}` + (remedy === undefined ? '' : `\n${remedy}`),
  )
}
