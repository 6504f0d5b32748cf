import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { ScheduleOptions } from '@temporalio/client'
import { bookedStream } from '../books/order-journal.ts'
import type { Config, StoreConfig } from '../config.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import type { RunKind } from '../connectors/sqlite/schedule-tables.ts'
import { datasetsOf } from '../exports/dataset.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import { FILE_FORMATS } from '../exports/manifest.ts'
import type { CheckInput } from '../workflows/check.ts'
import { scheduleId, scheduledWorkflowId } from '../workflows/ids.ts'
import type { NightlyInput } from '../workflows/nightly.ts'
import type { SweepInput } from '../workflows/sweep.ts'
import { calendarsFor } from './rules/calendars.ts'
import type { ScheduleFacts } from './rules/facts.ts'

/** A schedule as tillage.yaml wants it. */
export interface WantedSchedule {
  id: string
  kind: RunKind
  store: string
  facts: ScheduleFacts
  options: ScheduleOptions
}

const HOUR_MS = 3_600_000

/** Each once, whatever the order in the file: schedules are compared with what Temporal has. */
const inOrder = <Name>(all: readonly Name[], named: readonly Name[]): Name[] =>
  all.filter(name => named.includes(name))

/** What a night of a store does; a backfill does the same for days that are long over. */
export function nightlyInput(config: Config, store: StoreConfig): NightlyInput {
  const { nightly } = config.schedules
  const books = {
    datasets: nightly.export,
    formats: nightly.export.length === 0 ? [] : inOrder(FILE_FORMATS, nightly.formats),
    journal: inOrder(JOURNAL_FORMATS, nightly.journal),
  }
  const needed = [
    ...datasetsOf(streams)
      .filter(({ name }) => books.datasets.includes(name))
      .map(({ stream }) => stream),
    ...(books.journal.length === 0 ? [] : [bookedStream().name]),
  ]
  const all = dailyStreams.map(({ name }) => name)
  return {
    store: store.id,
    streams: all,
    needed:
      needed.length === 0
        ? streams.filter(({ optional }) => optional !== true).map(({ name }) => name)
        : [...new Set(needed)],
    dayStartsAt: store.dayStartsAt,
    deadline: nightly.deadline,
    books,
    giveUpAfterMs: nightly.giveUpAfterHours * HOUR_MS,
  }
}

/**
 * Every schedule that tillage.yaml asks for. A zone is the store's own; `firstYear` is the year
 * from which odd days are named.
 */
export function wantedSchedules(
  config: Config,
  zones: ReadonlyMap<string, string>,
  taskQueue: string,
  firstYear: number,
): WantedSchedule[] {
  const { nightly, sweep, check } = config.schedules
  return config.stores.flatMap(store => {
    const timeZone = zones.get(store.id) ?? 'UTC'
    const wanted = (
      kind: RunKind,
      times: Pick<ScheduleFacts, 'every' | 'at' | 'jitterMinutes' | 'deadline' | 'dayStartsAt'>,
      does: ScheduleFacts['does'],
      input: object,
      longestMs: number,
    ): WantedSchedule => {
      const facts: ScheduleFacts = { ...times, timeZone, does }
      return {
        id: scheduleId(kind, store.id),
        kind,
        store: store.id,
        facts,
        options: optionsOf(kind, store.id, facts, taskQueue, firstYear, input, longestMs),
      }
    }
    const night = nightlyInput(config, store)
    const slow = {
      sweep: { store: store.id, streams: night.streams, days: sweep.days } satisfies SweepInput,
      check: {
        store: store.id,
        streams: night.streams,
        windows: check.windows,
        records: check.records,
        heal: true,
      } satisfies CheckInput,
    }
    return [
      wanted(
        'nightly',
        {
          every: 'daily',
          at: nightly.at,
          jitterMinutes: nightly.jitterMinutes,
          deadline: nightly.deadline,
          dayStartsAt: store.dayStartsAt,
        },
        {
          export: night.books.datasets,
          formats: night.books.formats,
          journal: night.books.journal,
          giveUpAfterHours: nightly.giveUpAfterHours,
        },
        night,
        night.giveUpAfterMs + 3 * HOUR_MS,
      ),
      ...(sweep.every === 'never'
        ? []
        : [
            wanted(
              'sweep',
              { every: sweep.every, at: sweep.at, jitterMinutes: sweep.jitterMinutes },
              { days: sweep.days },
              slow.sweep,
              23 * HOUR_MS,
            ),
          ]),
      ...(check.every === 'never'
        ? []
        : [
            wanted(
              'check',
              { every: check.every, at: check.at, jitterMinutes: check.jitterMinutes },
              { windows: check.windows, records: check.records },
              slow.check,
              23 * HOUR_MS,
            ),
          ]),
    ]
  })
}

/**
 * Nights wait for one another and none is dropped: after an outage each missed one gets its files.
 * One whose worker is gone for good is ended by the server, or it would hold up all that come after
 * it.
 */
function optionsOf(
  kind: RunKind,
  store: string,
  facts: ScheduleFacts,
  taskQueue: string,
  firstYear: number,
  input: object,
  longestMs: number,
): ScheduleOptions {
  const { calendars, skip } = calendarsFor(facts.at, facts.timeZone, facts.every, firstYear)
  return {
    scheduleId: scheduleId(kind, store),
    spec: {
      calendars,
      ...(skip.length === 0 ? {} : { skip }),
      timezone: facts.timeZone,
      jitter: facts.jitterMinutes * 60_000,
    },
    policies: {
      overlap: kind === 'nightly' ? ScheduleOverlapPolicy.BUFFER_ALL : ScheduleOverlapPolicy.SKIP,
      catchupWindow: kind === 'nightly' ? '7 days' : '1 day',
    },
    action: {
      type: 'startWorkflow',
      workflowType: kind,
      workflowId: scheduledWorkflowId(kind, store),
      taskQueue,
      args: [input],
      workflowExecutionTimeout: longestMs,
    },
  }
}
