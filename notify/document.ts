import { toIso, toMinute } from '../calendar/days.ts'
import type { Alarm } from '../standing/alarms.ts'
import { TITLES } from '../standing/notice.ts'
import type { NextStep } from '../standing/notice.ts'

export type State = 'opened' | 'worse' | 'again' | 'closed'

/** What is sent: `tillage.notice/1`. */
export interface NoticeDocument {
  schema: 'tillage.notice/1'
  id: string
  kind: string
  severity: 'warning' | 'critical'
  state: State
  /** Null: it concerns the installation, or several stores. */
  store: string | null
  stream?: string
  day?: string
  title: string
  text: string
  next: readonly NextStep[]
  since: string
  at: string
  link?: string
}

/** Which notice, which of its tellings this is, and since when it is open. */
export interface Telling {
  id: string
  state: State
  openedAt: string
  nowMs: number
}

const TITLE_LENGTH = 80
/** Of several things: more is found with the commands of those that are named. */
const MOST_STEPS = 5

/** One document for some things, one line of its text for each. Pure. */
export function documentOf(
  things: readonly Alarm[],
  { id, state, openedAt, nowMs }: Telling,
): NoticeDocument {
  const worst = things.find(({ severity }) => severity === 'critical') ?? things[0]!
  const store = only(things.map(thing => thing.store))
  const stream = only(things.map(thing => thing.stream))
  const day = only(things.map(thing => thing.day))
  const since = things.flatMap(thing => thing.since ?? []).toSorted()[0] ?? openedAt
  return {
    schema: 'tillage.notice/1',
    id,
    kind: worst.kind,
    severity: worst.severity,
    state,
    store,
    ...(stream === null ? {} : { stream }),
    ...(day === null ? {} : { day }),
    title: titleOf(things, worst, state),
    text: textOf(things, state, nowMs),
    next: [...new Map(things.flatMap(({ next }) => next).map(one => [one.command, one])).values()]
      .slice(0, MOST_STEPS)
      .map(({ does, command }) => ({ does, command })),
    since,
    at: toIso(nowMs),
    link: `docs/alarms.md#${worst.kind}`,
  }
}

/** What all have; null where they differ. */
const only = (values: readonly (string | null)[]): string | null =>
  new Set(values).size === 1 ? values[0]! : null

function titleOf(things: readonly Alarm[], worst: Alarm, state: State): string {
  const stores = new Set(things.map(({ store }) => store)).size
  const title = stores > 1 ? `${stores} stores: ${TITLES[worst.kind]}` : worst.title
  const told = stores === 1 && things.length > 1 ? `${title} (${things.length})` : title
  return `${state === 'closed' ? 'Over: ' : ''}${told}`.slice(0, TITLE_LENGTH)
}

function textOf(things: readonly Alarm[], state: State, nowMs: number): string {
  const lines = things.map(({ store, text }) => asSentence(withStore(store, text)))
  const isOver = `It is over since ${toMinute(toIso(nowMs))} UTC; it was:`
  return [...(state === 'closed' ? [isOver] : []), ...lines].join('\n')
}

/** Texts that stand in the table of their store do not all name it. */
const withStore = (store: string | null, text: string): string =>
  store === null || text.includes(store) ? text : `${store}: ${text}`

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
