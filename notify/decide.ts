/**
 * Who has to be told what now, as a pure decision over what is open, what was told, the settings
 * and the time. Whoever decides the same again comes to the same ids.
 */
import { DAY_MS, MINUTE_MS, toIso } from '../calendar/days.ts'
import type { Delivery, KeptNotice } from '../connectors/destination/notices.ts'
import { sha256Of } from '../sha256.ts'
import type { Alarm } from '../standing/alarms.ts'
import { documentOf } from './document.ts'
import type { NoticeDocument, State } from './document.ts'
import { isQuiet } from './quiet.ts'
import { thingsFor } from './route.ts'
import type { NotifySettings } from './settings.ts'

export type Told = KeptNotice<Alarm>

/** What is known when it is decided. */
export interface Situation {
  /** Everything that somebody is called for, by `openAlarms`. */
  open: readonly Alarm[]
  /** Notices that are not over. */
  told: readonly Told[]
  /** How many notices began with a thing before, by its key. */
  openings: ReadonlyMap<string, number>
  /** When each thing that was not told yet was seen open first, by its key. */
  firstSeen: ReadonlyMap<string, number>
  /** Which database it is: ids of two must differ. */
  database: string
  /** How many stores are configured. */
  stores: number
  settings: Pick<NotifySettings, 'channels' | 'routes' | 'quiet'>
  nowMs: number
}

export interface Decision {
  /** Those that changed, as they are to be kept. */
  notices: Told[]
  deliveries: Delivery[]
}

/** What is told again, while it stands. */
const AGAIN_MS = DAY_MS
/** So many stores with the same trouble are one notice. */
export const STORM_STORES = 5
/** An outage meets the nights of many stores within minutes: their start jitters by two. */
export const GATHER_MS = 3 * MINUTE_MS

/** What is to be kept, and what is to be sent of it. */
export function decide(situation: Situation): Decision {
  const tellings = [...standing(situation), ...opening(situation)]
  return {
    notices: tellings.map(({ notice }) => notice),
    deliveries: tellings.flatMap(one => deliveriesOf(situation, one)),
  }
}

/** Everything open as the documents that tell of it, whether anybody was told yet or not. */
export function openDocuments(situation: Situation): NoticeDocument[] {
  const told = situation.told
    .map(notice => ({ notice, things: stillOpen(notice, situation.open) }))
    .filter(({ things }) => things.length > 0)
  const others = newNotices({ ...situation, settings: { ...situation.settings, quiet: undefined } })
  const all = [...told, ...others.map(notice => ({ notice, things: notice.things }))]
  return all.map(({ notice: { id, openedAt }, things }) =>
    documentOf(things, { id, openedAt, state: 'opened', nowMs: situation.nowMs }),
  )
}

interface TellingOf {
  notice: Told
  state: State
}

/** Of notices that were opened before: worse, again, closed, or nothing. */
function standing(situation: Situation): TellingOf[] {
  const { told, open, nowMs } = situation
  const isHeld = isQuiet(situation.settings.quiet, nowMs)
  return told.flatMap(notice => {
    const things = stillOpen(notice, open)
    const state = stateOf(notice, things, nowMs)
    const severity = things.length === 0 ? notice.severity : worstOf(things)
    if (state === undefined || (isHeld && severity !== 'critical')) return []
    return [{ notice: next(notice, { things, severity, state, nowMs }), state }]
  })
}

const stillOpen = ({ things }: Told, open: readonly Alarm[]): Alarm[] => {
  const keys = new Set(things.map(({ key }) => key))
  return open.filter(({ key }) => keys.has(key))
}

function stateOf(notice: Told, things: readonly Alarm[], nowMs: number): State | undefined {
  if (things.length === 0) return 'closed'
  if (notice.severity === 'warning' && worstOf(things) === 'critical') return 'worse'
  return nowMs - Date.parse(notice.toldAt) >= AGAIN_MS ? 'again' : undefined
}

const worstOf = (things: readonly Alarm[]): Alarm['severity'] =>
  things.some(({ severity }) => severity === 'critical') ? 'critical' : 'warning'

interface Change extends Pick<Told, 'things' | 'severity'> {
  state: State
  nowMs: number
}

/** A notice that is over keeps what it was about, for those who were told of it. */
const next = (notice: Told, { things, severity, state, nowMs }: Change): Told => ({
  ...notice,
  number: notice.number + 1,
  severity,
  kind: things[0]?.kind ?? notice.kind,
  things: state === 'closed' ? notice.things : things,
  toldAt: toIso(nowMs),
  closedAt: state === 'closed' ? toIso(nowMs) : undefined,
})

/** What is told for the first time; not what is held back, or what others may still join. */
function opening(situation: Situation): TellingOf[] {
  const isHeld = isQuiet(situation.settings.quiet, situation.nowMs)
  return newNotices(situation)
    .filter(({ severity }) => !isHeld || severity === 'critical')
    .filter(notice => !isGathering(notice, situation))
    .map(notice => ({ notice, state: 'opened' }))
}

/** Things of one kind and store are one notice; of one kind and many stores, too. */
function newNotices(situation: Situation): Told[] {
  const known = new Set(situation.told.flatMap(({ things }) => things.map(({ key }) => key)))
  const fresh = situation.open.filter(({ key }) => !known.has(key))
  return [...Map.groupBy(fresh, ({ kind }) => kind).values()].flatMap(things => {
    const byStore = [...Map.groupBy(things, ({ store }) => store).values()]
    const groups = byStore.length >= STORM_STORES ? [things] : byStore
    return groups.map(group => newNotice(group, situation))
  })
}

function newNotice(group: readonly Alarm[], { database, openings, nowMs }: Situation): Told {
  const things = group.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const { key, kind } = things[0]!
  const times = openings.get(key) ?? 0
  const at = toIso(nowMs)
  return {
    id: sha256Of(JSON.stringify([database, key, times])).slice(0, 20),
    key,
    kind,
    things,
    number: 1,
    severity: worstOf(things),
    openedAt: at,
    toldAt: at,
    closedAt: undefined,
  }
}

/** Of many stores, what begins is told once no more of them can be expected to join. */
function isGathering({ things }: Told, { stores, firstSeen, nowMs }: Situation): boolean {
  const own = new Set(things.map(({ store }) => store))
  if (stores < STORM_STORES || own.has(null) || own.size >= stores) return false
  const first = Math.min(...things.map(({ key }) => firstSeen.get(key) ?? nowMs))
  return nowMs - first < GATHER_MS
}

/** To each channel what it is to know of it. */
function deliveriesOf({ settings, nowMs }: Situation, { notice, state }: TellingOf): Delivery[] {
  const { id, number, openedAt } = notice
  return settings.channels.flatMap(channel => {
    const things = thingsFor(settings, channel, notice.things)
    if (things.length === 0) return []
    const document = documentOf(things, { id, state, openedAt, nowMs })
    return [
      {
        id: `${id}/${number}/${channel.id}`,
        channel: channel.id,
        state,
        document: JSON.stringify(document),
        at: toIso(nowMs),
      },
    ]
  })
}
