import { MINUTE_MS, toIso } from '../calendar/days.ts'
import { closing } from '../closing.ts'
import type { Closing } from '../closing.ts'
import type { Behaviours } from '../connectors/destination/behaviours.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { RunKind } from '../connectors/destination/runs.ts'
import type { Governor, Limits } from '../connectors/partner/governor.ts'
import { paceFact } from '../connectors/partner/pace.ts'
import { openStore } from '../connectors/store/open-store.ts'
import type { ApiStore, Store as OpenedStore } from '../connectors/store/open-store.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import type { NotifySettings } from '../notify/settings.ts'
import { createBackPressure } from '../reading/back-pressure.ts'
import type { BackPressure } from '../reading/back-pressure.ts'
import type { Reading } from '../reading/reading.ts'
import type { WindowLimits } from '../reading/window-limits.ts'
import { createBusy } from './busy.ts'
import type { Busy } from './busy.ts'
import { noOrders } from './orders.ts'
import type { BooksOrder, FindOrder } from './orders.ts'

/** What a store needs to be talked to; the composition root makes it from the configuration. */
export interface StoreSettings extends ApiStore {
  /** From the configuration; else the store itself says it. */
  timeZone: string | undefined
  /** The zone of the configuration counts, although the API says another. */
  timeZoneIsRight?: boolean | undefined
  /** When its business day begins, `HH:mm`; midnight where nothing says so. */
  dayStartsAt?: string | undefined
  limits: Limits & Partial<WindowLimits>
}

/** A store at run time, with its settings. */
export interface Store extends OpenedStore {
  settings: StoreSettings
}

/** The files of one business day of a store. */
export interface DayFilesOrder extends BooksOrder {
  store: string
  day: string
}

export interface WrittenFiles {
  files: number
  manifests: string[]
  /**
   * Earlier days in which something changed and that could not be written again, with the code of
   * why.
   */
  notRevised: { day: string; code: string }[]
}

/**
 * Writes the files of a day, and revisions of earlier ones; throws if the day itself cannot be
 * written, with NOT_PROVEN if it is not proven. The composition root gives what the commands use,
 * too.
 */
export type WriteDayFiles = (order: DayFilesOrder, signal: AbortSignal) => Promise<WrittenFiles>

/** The composition root gives what `tillage backup` uses, too. */
export type MakeBackup = (at: {
  nowMs: number
  signal: AbortSignal
}) => Promise<{ bytes: number; removed: number }>

/** Counts only grow. */
export interface Progress {
  planned: number
  done: number
  fetched: number
  pages: number
  /**
   * The window that was committed last: `downtown transactions 2026-11-15 to 2026-11-19 proven`.
   */
  newest: string | undefined
}

/** What a failed attempt has read, for the next one of the same workflow run. */
export interface KeptReading {
  reading: Reading
  keptAtMs: number
  run: string
}

/** What a night, sweep or check of this process did just now, for people who watch a worker. */
export interface RunEvent {
  /** ISO, UTC. */
  at: string
  kind: RunKind
  store: string
  /** The business day of a night; the calendar day of anything else. */
  day: string
  event: 'begun' | 'waits' | 'done' | 'failed' | 'files'
  /** A sentence without records. */
  detail: string
  /** Where the files are. */
  manifests?: readonly string[]
}

/** A window that was read just now, for people who watch a worker. */
export interface WindowEvent {
  store: string
  stream: string
  /** ISO texts in UTC, half-open. */
  window: { start: string; end: string }
  status: 'proven' | 'unproven'
  /** Why it is not proven. */
  code?: string | undefined
  /** Of Temporal. */
  run: string
}

/** The API of a store is gone: since when, why, and when it is asked next. Shown to who waits. */
export interface Outage {
  sinceMs: number
  reason: string
  /** Undefined where nobody waits: not sure yet that it is gone, or given up. */
  nextTryMs: number | undefined
  /** When it was waited for in vain. */
  gaveUpMs: number | undefined
  /** It has lasted for longer than a moment, and whoever watches knows of it. */
  isTold: boolean
  /** Shared by all windows that wait. */
  end: Promise<OutageEnd>
}

/** It was a single connection; it was an outage and is over; patience is over. */
export type OutageEnd = 'none' | 'back' | 'gone'

/** The API of a store is waited for, answers again, or was waited for in vain. */
export interface OutageEvent {
  store: string
  sinceMs: number
  reason: string
  event: 'api_gone' | 'api_back' | 'api_given_up'
}

/** How long an outage is ridden out where nobody says otherwise. */
export const OUTAGE_PATIENCE_MS = 15 * MINUTE_MS

/** Everything that activities use. No globals, no configuration. */
export interface Dependencies<Home extends Destination = Destination> {
  destination: Home
  streams: readonly Stream[]
  /** All that are configured. */
  stores: readonly StoreSettings[]
  store(id: string): Store
  stream(name: string): Stream
  writeBooks: WriteDayFiles
  backPressure: BackPressure
  /** Readings of windows that are not judged yet, by window; they outlive failed attempts. */
  readings: Map<string, KeptReading>
  /**
   * An attempt at a window ends by itself after this, waiting for the API included; well below its
   * timeout in `workflows/proxies.ts`.
   */
  longestAttemptMs: number
  /** What the activities of this process have done since it started, for people who wait. */
  progress: Progress
  busy: Busy
  /** How long an API that is gone is waited for. */
  patienceMs: number
  /** By store: its API is gone, and its windows wait. */
  outages: Map<string, Outage>
  /** What tillage.yaml wants of each schedule, when it is asked; nothing at first. */
  findOrder: FindOrder
  /** Copies all that must survive, as `backup:` of tillage.yaml says. */
  makeBackup: MakeBackup
  /** Hears of each window that this process has read; nobody listens at first. */
  onWindowEvent: (event: WindowEvent) => void
  /** Hears of outages that this process waits for; nobody listens at first. */
  onOutageEvent: (event: OutageEvent) => void
  /** Who is told of what is open; nobody at first. */
  notify: NotifySettings
  /** Hears of each run that begins, waits or ends in this process; nobody listens at first. */
  onRunEvent: (event: RunEvent) => void
  now(): number
  close(): Promise<void>
}

/** Fetched and not yet kept, where keeping takes longer than writing to a file does. */
const MOST_BYTES_UNDER_WAY = 32 * 1024 * 1024

export function createDependencies<Home extends Destination>(
  destination: Home,
  streams: readonly Stream[],
  settings: readonly StoreSettings[],
  writeBooks: WriteDayFiles,
): Closing<Dependencies<Home>> {
  const busy = createBusy()
  const configured = settings.map(({ id }) => id)
  const { stores: shops, keyShares: shares } = destination
  const place = { shops, shares, configured, during: busy.asking }
  const stores = new Map<string, Store>(
    settings.map(store => [store.id, { settings: store, ...openStore(store, place) }]),
  )
  return closing({
    destination,
    streams,
    stores: settings,
    writeBooks,
    backPressure: createBackPressure(MOST_BYTES_UNDER_WAY),
    readings: new Map(),
    longestAttemptMs: 25 * 60_000,
    progress: { planned: 0, done: 0, fetched: 0, pages: 0, newest: undefined },
    busy,
    patienceMs: OUTAGE_PATIENCE_MS,
    outages: new Map(),
    findOrder: noOrders,
    notify: { channels: [], routes: [] },
    makeBackup: () => Promise.reject(new TillageError('NOT_ALLOWED', 'nothing says where to')),
    onRunEvent: () => {},
    onWindowEvent: () => {},
    onOutageEvent: () => {},
    now: Date.now,
    store(id) {
      const store = stores.get(id)
      if (store === undefined)
        throw new TillageError(
          'USAGE',
          `there is no store ${id}; configured are ${[...stores.keys()].join(', ')}`,
        )
      return store
    },
    stream(name) {
      const stream = streams.find(candidate => candidate.name === name)
      if (stream === undefined)
        throw new TillageError(
          'USAGE',
          `there is no stream ${name}; ` +
            `there are ${streams.map(candidate => candidate.name).join(', ')}`,
        )
      return stream
    },
    async close() {
      const { behaviours } = destination
      // Without it the next run finds the pace again, at the price of a few refusals.
      for (const [id, { governor }] of stores)
        await keepPace(behaviours, id, governor, Date.now()).catch(() => {})
      await Promise.all([...stores.values()].map(({ client }) => client.close()))
      await destination.close()
    },
  })
}

/** For the next run: a night does not begin by running into a limit that the last one has found. */
export async function keepPace(
  behaviours: Behaviours,
  store: string,
  { foundPerSecond }: Pick<Governor, 'foundPerSecond'>,
  nowMs: number,
): Promise<void> {
  if (foundPerSecond === undefined) return
  await behaviours.keep(store, [{ ...paceFact(foundPerSecond), seenAt: toIso(nowMs) }])
}
