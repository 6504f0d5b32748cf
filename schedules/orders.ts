import type { FindOrder, NightOrder, OrderKind, Orders } from '../activities/orders.ts'
import { bookedStream } from '../books/order-journal.ts'
import { HOUR_MS } from '../calendar/days.ts'
import type { Config, StoreConfig } from '../config.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { FILE_FORMATS } from '../exports/formats/formats.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import { nightlyFormats } from '../exports/journal/store-settings.ts'

/** What tillage.yaml wants of each schedule. */
export const orderFinder = (config: Config): FindOrder => {
  const orders: { [Kind in OrderKind]: (store: StoreConfig) => Orders[Kind] | undefined } = {
    nightly: store => nightOrder(config, store),
    sweep: () => sweepOrder(config),
    check: () => checkOrder(config),
    push: store => pushOrder(config, store),
    audit: () => auditOrder(config),
    upkeep: () => upkeepOrder(config),
    backup: store => backupOrder(config, store),
  }
  return (kind, id) => {
    const store = config.stores.find(one => one.id === id)
    return store === undefined ? undefined : orders[kind](store)
  }
}

/** Each once, whatever the order in the file: schedules are compared with what Temporal has. */
const inOrder = <Name>(all: readonly Name[], named: readonly Name[]): Name[] =>
  all.filter(name => named.includes(name))

const namesOf = (some: readonly Stream[]): string[] => some.map(({ name }) => name)
const daily = namesOf(dailyStreams)

/** A backfill does the same for days that are long over. */
export function nightOrder(config: Config, store: StoreConfig): NightOrder {
  const { nightly } = config.schedules
  const books = {
    datasets: nightly.export,
    formats: nightly.export.length === 0 ? [] : inOrder(FILE_FORMATS, nightly.formats),
    journal: inOrder(JOURNAL_FORMATS, nightlyFormats(config.accounting, store.id, nightly.journal)),
  }
  const needed = [
    ...datasetsOf(streams)
      .filter(({ name }) => books.datasets.includes(name))
      .map(({ stream }) => stream),
    ...(books.journal.length === 0 ? [] : [bookedStream().name]),
  ]
  const everyApiHas = dailyStreams.filter(({ optional }) => optional !== true)
  return {
    // What takes a request for each record of another is read where somebody wants its files.
    streams: [...new Set([...daily, ...needed])],
    needed: [...new Set(needed.length > 0 ? needed : namesOf(everyApiHas))],
    dayStartsAt: store.dayStartsAt,
    deadline: nightly.deadline,
    books,
    giveUpAfterMs: nightly.giveUpAfterHours * HOUR_MS,
  }
}

function sweepOrder({ schedules: { sweep } }: Config): Orders['sweep'] | undefined {
  const { every, days } = sweep
  return every === 'never' ? undefined : { streams: daily, days }
}

function checkOrder({ schedules: { check } }: Config): Orders['check'] | undefined {
  const { every, windows, records } = check
  return every === 'never' ? undefined : { streams: daily, windows, records, heal: true }
}

/** The catalog files of a store; none, no schedule. */
function pushOrder({ push }: Config, { id }: StoreConfig): Orders['push'] | undefined {
  const files = push.files
    .filter(({ stores }) => stores === undefined || stores.includes(id))
    .map(({ catalog, path, create }) => ({ catalog, path, create }))
  return push.every === 'never' || files.length === 0 ? undefined : { files }
}

/** Where nobody may approve a reconciliation, nobody has asked for audits. */
function auditOrder({ schedules, reconcile }: Config): Orders['audit'] | undefined {
  const isWanted = schedules.audit.every !== 'never' && reconcile.approvers.length > 0
  return isWanted ? {} : undefined
}

/** What Temporal keeps, it removes by itself. */
function upkeepOrder({ schedules, retention }: Config): Orders['upkeep'] | undefined {
  const { temporalDays: _, ...tables } = retention
  const days = withoutUndefined(tables)
  const isWanted = schedules.upkeep.every !== 'never' && Object.keys(days).length > 0
  return isWanted ? { retention: days } : undefined
}

/** There is one database: its backups go by the clock of the first store, and bear its name. */
const backupOrder = ({ stores, backup }: Config, { id }: StoreConfig): object | undefined =>
  backup !== undefined && backup.every !== 'never' && stores[0]?.id === id ? {} : undefined

export const withoutUndefined = (days: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(days).filter((entry): entry is [string, number] => entry[1] !== undefined),
  )
