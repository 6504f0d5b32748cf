import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { WriteDayFiles, DayFilesOrder } from '../activities/dependencies.ts'
import { businessDays } from '../calendar/business-day.ts'
import { addDays, isDay } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { BookedDays } from '../connectors/destination/booked-days.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { TillageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { FILE_FORMATS } from '../exports/formats/formats.ts'
import { TIE_OUT } from '../exports/journal/formats/exceptions.ts'
import { heldBack } from '../exports/journal/held.ts'
import { JOURNAL_FORMATS } from '../exports/journal/settings.ts'
import { datasetOf } from '../exports/journal/write-formats.ts'
import { newestManifest, parseManifest } from '../exports/revisions/manifest.ts'
import type { Manifest } from '../exports/revisions/manifest.ts'
import type { NotBrought } from '../objects/bring-written.ts'
import { pathOf } from '../objects/place.ts'
import { sha256Of } from '../sha256.ts'
import type { BooksPlace } from './books-place.ts'
import { bringExports } from './bring-exports.ts'
import { changedManifest, closedBooks, closedDays } from './changed-days.ts'
import { exportStore } from './export-store.ts'
import type { StoreExport } from './export-store.ts'
import { bookedStream, orderJournal } from './order-journal.ts'
import { NO_LIMIT, refreshViews } from './refresh-views.ts'
import { storeClockOf } from './store-clock.ts'

/** Asks for what the transactions of a day refer to and nobody has read, as far as it can. */
export type LookUpDay = (store: string, day: Interval, signal: AbortSignal) => Promise<unknown>

type Written = Awaited<ReturnType<WriteDayFiles>>

/**
 * The files of a business day, by the same functions as `export` and `journal`, for the nightly
 * workflow; then a revision of each earlier day in which something changed. A day that cannot be
 * written does not keep the others from it: only a failure of the ordered day makes the order fail,
 * the earlier ones are named, each night until somebody has fixed them.
 */
export const createDayFilesWriter =
  (
    config: Config,
    { bookedDays }: Pick<Destination, 'bookedDays'>,
    lookUpDay: LookUpDay = () => Promise.resolve(),
  ): WriteDayFiles =>
  async (order, signal) => {
    await using database = await openReadOnly(config, streams)
    const night: Night = {
      place: { config, database },
      bookedDays,
      lookUpDay,
      signal,
      written: { files: 0, manifests: [], notRevised: [] },
    }
    const missing = await bringExports(config, database.givenOut, order.store)
    const failed = await failureOf(() => writeAndRemember(night, order))
    await reviseEarlierDays(night, order)
    night.written.notRevised.push(...unseenDays(config, order, missing))
    if (failed !== undefined) throw failed
    return night.written
  }

interface Night {
  place: BooksPlace
  bookedDays: BookedDays
  lookUpDay: LookUpDay
  signal: AbortSignal
  written: Written
}

/** Writes a day, and remembers until which reading it was looked at. */
async function writeAndRemember(
  { place, bookedDays, lookUpDay, signal, written }: Night,
  order: DayFilesOrder,
  standing?: Manifest,
): Promise<void> {
  if (order.journal.length > 0) {
    const { config, database } = place
    const clock = storeClockOf(config, order.store, await database.timeZone(order.store))
    const days = { from: order.day, to: addDays(order.day, 1) }
    await lookUpDay(order.store, businessDays(days, clock), signal)
  }
  const batch = await bookedDays.newestBatch()
  const { files, manifest } = await writeDay(place, order, signal)
  const bytes = readFileSync(pathOf(place.config.objects, manifest))
  const { store, day } = order
  await bookedDays.remember({ store, day, manifest: sha256Of(bytes), batch })
  // A day that was looked at again and is as it was has nothing to tell.
  const given = standing?.files.map(({ path }) => path) ?? []
  const added = parseManifest(bytes.toString('utf8'))!.files.filter(
    ({ path }) => !given.includes(path),
  )
  if (standing !== undefined && added.length === 0) return
  written.files += standing === undefined ? files.length : added.length
  written.manifests.push(manifest)
}

async function reviseEarlierDays(night: Night, order: DayFilesOrder): Promise<void> {
  const { store } = order
  const { exports: out } = night.place.config
  const batch = await night.bookedDays.newestBatch()
  const days = closedDays(out, store).filter(one => one < order.day)
  const areShown = await showBooks(night, store, days)
  const books = await closedBooks(night.bookedDays, out, store, days)
  const unchanged: string[] = []
  for (const day of days) {
    const trouble = await failureOf(async () => {
      const standing = await changedManifest(books, day, order.day)
      if (standing === undefined) unchanged.push(day)
      else await writeAndRemember(night, again(order, day, standing), standing)
    })
    if (trouble !== undefined) night.written.notRevised.push({ day, code: trouble.code })
  }
  const held = unchanged
    .flatMap(day => books.booked.get(day) ?? [])
    .filter(booked => booked.batch < batch)
  if (areShown && held.length > 0) await night.bookedDays.holdUpTo(held, batch)
}

/**
 * What a corrected lot or product changes is found in the views of the books. Those of a database
 * that was copied, or of another version, begin empty, and are filled once. Answers whether they
 * are: something else may have overtaken it.
 */
async function showBooks(
  { place, bookedDays, signal, written }: Night,
  store: string,
  days: readonly string[],
): Promise<boolean> {
  let areShown = days.length === 0 || (await bookedDays.shown(store)).until > 0
  if (areShown) return true
  const watcher = { progress: () => {}, signal }
  const trouble = await failureOf(async () => {
    areShown = !(await refreshViews(place, store, NO_LIMIT, watcher)).isBehind
  })
  if (trouble !== undefined) written.notRevised.push({ day: days.at(-1)!, code: trouble.code })
  return areShown
}

/** Days that cannot be looked at, since somebody has changed them in the bucket. */
function unseenDays(
  { exports: out }: Config,
  { store }: DayFilesOrder,
  missing: readonly NotBrought[],
): Written['notRevised'] {
  const seen = closedDays(out, store)
  return missing
    .map(({ folder, error }) => ({ day: basename(folder), code: error.code }))
    .filter(({ day }) => isDay(day) && !seen.includes(day))
}

async function failureOf(work: () => Promise<void>): Promise<TillageError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof TillageError) || error.code === 'INTERRUPTED') throw error
    return error
  }
}

async function writeDay(
  place: BooksPlace,
  { store, day, datasets, formats, journal }: DayFilesOrder,
  signal: AbortSignal,
): Promise<StoreExport> {
  const ordered =
    journal.length === 0 ? undefined : await orderJournal(place, store, day, { formats: journal })
  const request = {
    store,
    days: { from: day, to: addDays(day, 1) },
    datasets: datasets.length === 0 ? [bookedStream().name] : datasets,
    formats: formats.length === 0 ? (['csv'] as const) : formats,
    out: place.config.exports,
    includePeople: false,
    ...(ordered === undefined ? {} : { journal: ordered }),
  }
  const made = await exportStore(place, request, { progress: () => {}, signal })
  if (made.journal?.held === true) {
    const { standing } = made.journal
    const why = heldBack(newestManifest(place.config.exports, request))?.counted
    throw new TillageError(
      'JOURNAL_HELD',
      `${store} has no ${standing === undefined ? 'journal for' : `change of ${standing} for`} ` +
        `${day}, because it does not tie out${why === undefined ? '' : ` (${why})`}; look at it: ` +
        `tillage journal --store ${store} --date ${day} --dry-run`,
      { remedy: 'Its exceptions and tie-out files name each transaction.' },
    )
  }
  return made
}

/**
 * The same files of a day as were given out before: those of the books, for other lists belong to
 * their own moment. To name one is enough, an export renews all that a day holds of a stream. A
 * journal that was held back is tried in the formats of the order.
 */
function again({ store, journal }: DayFilesOrder, day: string, { files }: Manifest): DayFilesOrder {
  const booked = datasetsOf([bookedStream()]).map(({ name }) => name)
  const one = files.find(({ dataset }) => booked.includes(dataset))
  const posted = JOURNAL_FORMATS.filter(format =>
    files.some(({ dataset }) => dataset === datasetOf(format)),
  )
  const held = posted.length === 0 && files.some(({ dataset }) => dataset === TIE_OUT)
  return {
    store,
    day,
    datasets: one === undefined ? [] : [one.dataset],
    formats: FILE_FORMATS.filter(format => format === one?.format),
    journal: held ? journal : posted,
  }
}
