/** What people do with plans, through the real commands: for `record-histories.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { localIso } from '../calendar/clock.ts'
import { readCsv } from '../text/read-csv.ts'
import { csvText } from '../text/write-csv.ts'

export interface Recording {
  /** Runs `tillage ... --json` and answers what it printed. */
  tillage(...args: string[]): Promise<Record<string, unknown>>
  faults(...rules: object[]): Promise<void>
  folder: string
}

const ZONE = 'America/Los_Angeles'

/** A plan with a row for now and one for in a while, applied twice and then waited for. */
export async function pushCatalogs({ tillage, folder }: Recording): Promise<void> {
  const dueMs = Date.now() + 45_000
  const dueAt = localIso(dueMs, ZONE).slice(0, 19)
  const file = join(folder, 'products.csv')
  const rows = ['external_id,description,effective_at', 'P-1001,now,', `P-1002,later,${dueAt}`]
  writeFileSync(file, `${rows.join('\n')}\n`)
  const { plan } = await tillage('push', 'plan', 'products', file)
  await tillage('push', 'approve', String(plan), '--by', 'Ana')
  await tillage('push', 'apply', String(plan))
  await tillage('push', 'apply', String(plan))
  await pause(Math.max(0, dueMs - Date.now()) + 5_000)
}

interface Snapshot {
  audit: string
  files: { path: string; format: string }[]
}

/** Two rooms, one reply lost and parked, approved by two people, applied, resolved. */
export async function reconcileCounts({ tillage, faults, folder }: Recording): Promise<void> {
  const rooms = ['--room', 'Quarantine', 'Vault']
  const snapshot = (await tillage('audit', 'snapshot', '--open', ...rooms)) as unknown as Snapshot
  const sheet = snapshot.files.find(({ format }) => format === 'csv')!.path
  const counted = { counted_by: 'E-14', counted_at: new Date().toISOString() }
  const rooms2 = new Set<string>()
  const rows = readCsv(readFileSync(sheet, 'utf8')).map(row => {
    const expected = Number(row['expected_qty'])
    const isShort = row['unit'] === 'EACH' && expected > 9 && !rooms2.has(row['inventory_id'] ?? '')
    if (isShort) rooms2.add(row['inventory_id'] ?? '')
    return { ...row, ...counted, counted_qty: isShort ? String(expected - 2) : row['expected_qty'] }
  })
  const columns = Object.keys(rows[0]!)
  const counts = join(folder, 'counts.csv')
  writeFileSync(
    counts,
    csvText(
      columns,
      rows.map(row => columns.map(name => (row as Record<string, string>)[name] ?? '')),
    ),
  )
  const { plan } = await tillage('reconcile', 'plan', counts)
  for (const by of ['Store manager', 'Compliance lead'])
    await tillage('reconcile', 'approve', String(plan), '--by', by).catch(() => {})
  await faults({ method: 'POST', match: 'reconciliations$', status: 502, times: 1 })
  await tillage('reconcile', 'apply', String(plan))
  const answer = ['--as', 'retry', '--by', 'Store manager', '--reason', 'it is not there']
  await tillage('reconcile', 'resolve', String(plan), 'op-1', ...answer)
}
