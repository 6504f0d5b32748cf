import { isDay } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { Finding } from '../connectors/destination/findings.ts'
import { standingOf } from '../connectors/destination/ledger.ts'
import { FINDINGS } from '../connectors/findings.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { ERROR_CODES, UsageError } from '../errors.ts'
import { isStanding } from '../standing/standing-findings.ts'
import { chooseReadStores, chooseStreams } from './arguments/choices.ts'
import { dayOption, declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

interface FindingOptions {
  store?: string
  stream?: string
  since?: string
}

/**
 * `tillage findings`: what the APIs did that the documentation does not say, what it means, and
 * what to do. Over is what later readings of the stream did not show again.
 */
async function listFindings(
  { config, terminal }: Context,
  { store, stream, since }: FindingOptions,
): Promise<number> {
  if (since !== undefined && !isDay(since))
    throw new UsageError(`--since ${since} is not a day`, 'Write it as yyyy-MM-dd.')
  const [only] = stream === undefined ? [] : chooseStreams([stream])
  await using database = await openReadOnly(config, streams)
  const found = []
  for (const id of await chooseReadStores(config, database, store)) {
    const standings = await database.ledger.standings(id)
    for (const finding of await database.findings.of(id, only))
      if (since === undefined || finding.lastSeenAt >= since)
        found.push({
          ...finding,
          standing: isStanding(finding, standingOf(standings, finding.stream)),
        })
  }
  terminal.print(
    terminal.json
      ? JSON.stringify({ findings: found.map(one => ({ ...one, ...textOf(one) })) })
      : describe(found),
  )
  return 0
}

/** A window that could not be read leaves the code of its error as a finding. */
export function textOf({ code }: Pick<Finding, 'code'>): { means: string; remedy: string } {
  const found = (FINDINGS as Record<string, { means: string; remedy: string }>)[code]
  if (found !== undefined) return found
  const error = (ERROR_CODES as Record<string, { means: string } | undefined>)[code]
  return {
    means: error?.means ?? 'A window of this list could not be read.',
    remedy: 'Why, window by window: tillage coverage STREAM. What to do: docs/errors.md.',
  }
}

function describe(found: readonly (Finding & { standing: boolean })[]): string {
  if (found.length === 0) return 'nothing was found'
  const table = formatTable(
    ['store', 'stream', 'finding', 'times', 'last seen', 'now'],
    found.map(({ store, stream, code, times, lastSeenAt, standing }) => [
      store,
      stream,
      code,
      times,
      lastSeenAt.slice(0, 10),
      standing ? 'stands' : 'over',
    ]),
  )
  const codes = [...new Map(found.map(finding => [finding.code, finding]))].map(
    ([code, finding]) => {
      const { means, remedy } = textOf(finding)
      return `${code}: ${means}\n  ${remedy}`
    },
  )
  return [table, ...codes].join('\n\n')
}

export const command = declareCommand({
  options: [
    option('--stream <name>', 'one stream only'),
    dayOption('--since <day>', 'seen on this day or after it, yyyy-MM-dd'),
  ],
  run: listFindings,
})
