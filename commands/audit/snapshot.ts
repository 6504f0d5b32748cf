import type { Snapshot } from '../../audit/snapshot.ts'
import { takeSnapshot } from '../../audit/take-snapshot.ts'
import { writeSheets } from '../../audit/write-sheets.ts'
import type { WrittenSheets } from '../../audit/write-sheets.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { openAuditStore } from './audit-store.ts'

interface SnapshotOptions {
  store?: string
  room?: string[]
  open?: boolean
}

/**
 * `tillage audit snapshot`: what a store should have, read live, and the sheets to count with. 3
 * where the partner key may not send counts back: said before anybody counts.
 */
export async function auditSnapshot(
  { config, terminal, signal }: Context,
  options: SnapshotOptions,
): Promise<number> {
  const { api, identity } = await openAuditStore(config, options.store, signal)
  try {
    const snapshot = await takeSnapshot(api, {
      ...identity,
      rooms: options.room ?? [],
      isBlind: options.open !== true,
      progress: terminal.progress,
      now: Date.now,
    })
    const { exports, reconcile } = config
    const written = await withOutbound(config, log =>
      writeSheets(log, exports, snapshot, reconcile.reasons),
    )
    terminal.print(
      terminal.json ? JSON.stringify(asJson(snapshot, written)) : describe(snapshot, written),
    )
    return snapshot.permission.performReconciliation ? 0 : 3
  } finally {
    await api.close()
  }
}

const asJson = (
  { audit, store, startedAt, endedAt, requests, moved, lines, permission }: Snapshot,
  { files, manifest }: WrittenSheets,
): object => ({
  audit,
  store,
  snapshot: { startedAt, endedAt, requests, moved },
  lines: lines.length,
  permission,
  files,
  manifest,
})

function describe(snapshot: Snapshot, { files, manifest }: WrittenSheets): string {
  const { startedAt, endedAt, moved, lines, rooms, requests } = snapshot
  const seconds = Math.ceil((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
  return [
    `${snapshot.audit}: ${countOf(lines.length, 'lot')} in ${countOf(rooms.length, 'room')} of ${snapshot.store}, ` +
      `read in ${seconds} s with ${requests} requests.`,
    moved.length === 0
      ? 'Nothing moved meanwhile.'
      : `${countOf(moved.length, 'lot')} moved meanwhile; the quantities are those of the second reading.`,
    '',
    formatTable(
      ['room', 'lines to count'],
      rooms.map(({ id, name }) => [
        name,
        lines.filter(({ inventoryId }) => inventoryId === id).length,
      ]),
    ),
    '',
    ...files.map(({ format, path }) => `${format === 'html' ? 'to print' : format}: ${path}`),
    `manifest: ${manifest}`,
    ...(snapshot.permission.performReconciliation ? [] : ['', NO_PERMISSION]),
  ].join('\n')
}

export const NO_PERMISSION = [
  'This partner key lacks PERFORM_RECONCILIATION: counts can be taken and reported, but not sent',
  'back. Ask the platform to give the permission to the partner key of this store; snapshots,',
  'sheets and reports work without it.',
].join('\n')
