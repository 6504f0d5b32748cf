import { discardOf, recordsOf, stateOf } from '../../audit/audit-state.ts'
import type { AuditState, Discard } from '../../audit/audit-state.ts'
import { describeDiscard } from '../../audit/discard.ts'
import { allAudits, readSnapshot } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { describeDuration, fromIso } from '../../calendar/days.ts'
import { chooseNames } from '../../names.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'

export interface ListedAudit {
  audit: string
  store: string
  state: AuditState
  /** Of one that was discarded. */
  discard?: Discard
  /** ISO, UTC. */
  takenAt: string
  lines: number
  /** None where the whole store was asked for. */
  rooms: string[]
}

/**
 * `tillage audit list`: every audit, the newest first, and how far it is; one of a store that was
 * renamed, or has left tillage.yaml, keeps the id that the store had.
 */
export async function auditList(
  { config, terminal }: Context,
  { store }: { store?: string },
): Promise<number> {
  const all = allAudits(config.exports)
  const ids = [...config.stores.map(({ id }) => id), ...all.map(({ store: of }) => of)]
  if (store !== undefined) chooseNames('store', [store], [...new Set(ids)])
  const audits = all
    .filter(({ store: of }) => store === undefined || of === store)
    .map(listedAudit)
    .toSorted((one, other) => fromIso(other.takenAt) - fromIso(one.takenAt))
  terminal.print(terminal.json ? JSON.stringify({ audits }) : describe(audits, Date.now()))
  return 0
}

export function listedAudit(folder: AuditFolder): ListedAudit {
  const { endedAt, lines, rooms, isPartial } = readSnapshot(folder)
  const records = recordsOf(folder)
  const discard = discardOf(records)
  return {
    audit: folder.audit,
    store: folder.store,
    state: stateOf(records),
    takenAt: endedAt,
    lines: lines.length,
    rooms: isPartial ? rooms.map(({ name }) => name) : [],
    ...(discard === undefined ? {} : { discard }),
  }
}

const describe = (audits: readonly ListedAudit[], nowMs: number): string =>
  audits.length === 0
    ? 'There are no audits yet. tillage audit snapshot begins one.'
    : [
        formatTable(
          ['audit', 'store', 'state', 'age', 'lines', 'rooms'],
          audits.map(({ audit, store, state, takenAt, lines, rooms }) => [
            audit,
            store,
            state,
            describeDuration(Math.max(0, nowMs - fromIso(takenAt))),
            lines,
            rooms.length === 0 ? 'all' : rooms.join(', '),
          ]),
        ),
        ...audits.flatMap(({ audit, discard }) =>
          discard === undefined ? [] : `${audit}: ${describeDiscard(discard)}`,
        ),
      ].join('\n')
