import { toMinute } from '../calendar/days.ts'
import { evidenceIn, openReadOnly, readAuditLog } from '../connectors/database.ts'
import type { AuditEntry } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { countingNumber, declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

/**
 * `tillage audit-log`: who showed or changed more than an ordinary run does, newest last, with its
 * chain checked; `--all`: also what was written. 1 if an entry was changed or is gone.
 */
async function auditLog(
  { config, terminal }: Context,
  { last, all = false }: { last?: number; all?: boolean },
): Promise<number> {
  // Brings the tables up to date, and says so where nothing was read yet.
  await (await openReadOnly(config, streams)).close()
  const { entries, breaks } = await readAuditLog(config.database)
  const asked = all ? entries : entries.filter(entry => evidenceIn(entry) === undefined)
  const shown = last === undefined ? asked : asked.slice(-last)
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        entries: shown.map(entry => ({ ...entry, detail: JSON.parse(entry.detail) as unknown })),
        breaks,
      }),
    )
  else if (asked.length === 0 && breaks.length === 0) terminal.print('the audit log is empty')
  else
    terminal.print(
      formatTable(
        ['no.', 'at (UTC)', 'who', 'machine', 'act', 'detail'],
        shown.map(entry => [
          String(entry.seq),
          toMinute(entry.at),
          entry.who,
          entry.machine,
          entry.act,
          describeDetail(entry),
        ]),
        { minor: ['machine'], below: 'detail' },
      ),
    )
  for (const broken of breaks) terminal.log(`the audit log is broken: ${broken}`)
  return breaks.length === 0 ? 0 : 1
}

/** `store: sunset, reason: as the owner asked` */
const describeDetail = ({ detail }: AuditEntry): string =>
  Object.entries(JSON.parse(detail) as Record<string, unknown>)
    .map(([name, value]) => `${name}: ${describeValue(value)}`)
    .join(', ')

/** Lists with blanks between, what stands in an object beside its names. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(' ')
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, inner]) => `${name} ${describeValue(inner)}`)
  return `(${fields.join(', ')})`
}

export const command = declareCommand<{ last?: number; all?: boolean }>({
  options: [
    option('--last <count>', 'how many of the newest entries').argParser(countingNumber),
    option('--all', 'also list each plan, approval, receipt and manifest'),
  ],
  notes: 'tillage verify DATABASE checks the same chain without a tillage.yaml.',
  storeless: true,
  run: auditLog,
})
