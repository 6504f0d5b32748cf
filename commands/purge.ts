import type { Config } from '../config.ts'
import { overwriteFreed, purge } from '../connectors/database.ts'
import type { Purged } from '../connectors/destination/upkeep.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { setRetention } from '../schedules/set-retention.ts'
import { connect } from '../worker.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import { formatTable } from './terminal/table.ts'

/** `tillage purge`: removes what `retention:` of tillage.yaml does not keep. */
async function purgeDatabase(
  { config, terminal }: Context,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  const { temporalDays, ...retention } = config.retention
  if (Object.keys(config.retention).length === 0)
    throw new UsageError(
      'tillage.yaml has no retention, so everything is kept',
      'For example: ' +
        'retention: { versionsDays: 730, discardedLettersDays: 365, readingsDays: 730, temporalDays: 30 }',
    )
  await requireDatabase(config)
  const order = { retention, store: undefined, at: new Date().toISOString() }
  const purged = await purge(config.database, order, streams, { dryRun })
  if (!dryRun) {
    if (temporalDays !== undefined)
      await setTemporalRetention(config, temporalDays, terminal.progress)
    terminal.progress('overwriting what was freed')
    if (!(await overwriteFreed(config.database)))
      terminal.log(
        'Freed pages could not be overwritten: another process reads the database, or its tables ' +
          'belong to another role.',
      )
  }
  const report = { dryRun, purged, temporalDays: temporalDays ?? null }
  terminal.print(terminal.json ? JSON.stringify(report) : describe(report))
  return 0
}

async function setTemporalRetention(
  config: Config,
  days: number,
  progress: (line: string) => void,
): Promise<void> {
  await using connected = await connect(config, progress)
  await setRetention(connected.client, days)
}

function describe({
  dryRun,
  purged,
  temporalDays,
}: {
  dryRun: boolean
  purged: readonly Purged[]
  temporalDays: number | null
}): string {
  const verb = dryRun ? 'would go' : 'removed'
  return [
    formatTable(
      ['table', 'older than', verb],
      purged.map(({ table, before, rows }) => [table, before.slice(0, 10), rows]),
    ),
    ...(temporalDays === null
      ? []
      : [
          `Temporal ${dryRun ? 'would keep' : 'keeps'} runs that are over ` +
            `for ${temporalDays} days.`,
        ]),
    ...(dryRun
      ? ['', 'Nothing was removed. Without --dry-run it is, and cannot be brought back.']
      : []),
  ].join('\n')
}

export const command = declareCommand<{ dryRun?: boolean }>({
  options: [option('--dry-run', 'only show what would be removed')],
  notes:
    'Removes replaced states of records, discarded dead letters, ' +
    "readings that no row points at, and Temporal's histories. " +
    'Rows, the ledger and what was given out stay.',
  storeless: true,
  run: purgeDatabase,
})
