import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Books, BooksOrder } from '../activities/dependencies.ts'
import type { Config } from '../config.ts'
import type { Destination } from '../connectors/sqlite/destination.ts'
import { addDays } from '../connectors/window.ts'
import { TillageError } from '../errors.ts'
import { datasetsOf } from '../exports/dataset.ts'
import { FILE_FORMATS, type Manifest } from '../exports/manifest.ts'
import { changedDays, newestBatch, rememberLook } from './changed-days.ts'
import { chooseDatasets, chooseFormats } from './export.ts'
import { exportStore, type StoreExport } from './export-store.ts'
import { bookedStream, chooseJournalFormats, orderJournal } from './order-journal.ts'
import { openLedger, type OpenLedger } from './open-ledger.ts'

type Written = Awaited<ReturnType<Books>>

/**
 * The files of a business day, by the same functions as `export` and `journal`, for the nightly workflow; then a revision of each
 * earlier day in which something changed. A day that cannot be written does not keep the others from it.
 */
export const createBooks =
  (config: Config, destination: Pick<Destination, 'execute'>): Books =>
  async (order, signal) => {
    const ledger = await openLedger(config)
    const written: Written = { files: 0, manifests: [] }
    const troubles: unknown[] = []
    const write = async (one: BooksOrder, standing?: Manifest): Promise<void> => {
      try {
        const batch = await newestBatch(ledger.db)
        const { files, manifest, revision } = await writeDay(config, ledger, one, signal)
        await destination.execute(rememberLook(ledger.db, { store_id: one.store, day: one.day, manifest: hash('sha256', readFileSync(manifest)), batch }))
        // A day that was looked at again and is as it was has nothing to tell.
        if (revision === standing?.revision) return
        written.files += files.length
        written.manifests.push(manifest)
      } catch (error) {
        if (!(error instanceof TillageError) || error.code === 'INTERRUPTED') throw error
        troubles.push(error)
      }
    }
    try {
      await write(order)
      for (const { day, manifest } of await changedDays(ledger.db, config.exports, order.store, bookedStream(), order.day)) await write(again(order.store, day, manifest), manifest)
    } finally {
      await ledger.close()
    }
    if (troubles.length > 0) throw troubles[0]
    return written
  }

async function writeDay(config: Config, ledger: OpenLedger, { store, day, datasets, formats, journal }: BooksOrder, signal: AbortSignal): Promise<StoreExport> {
  const ordered = journal.length === 0 ? undefined : await orderJournal(config, ledger, store, day, { formats: chooseJournalFormats(journal.join(','), []), suspenseReason: undefined, closing: undefined })
  const request = { store, days: { from: day, to: addDays(day, 1) }, datasets: chooseDatasets(datasets.length === 0 ? [bookedStream().name] : datasets), formats: chooseFormats(formats.length === 0 ? 'csv' : formats.join(',')) }
  const made = await exportStore(config, ledger, { ...request, out: config.exports, includePeople: false, ...(ordered === undefined ? {} : { journal: ordered }) }, () => {}, signal)
  if (made.journal?.held === true) {
    throw new TillageError('JOURNAL_HELD', `${store} has no journal for ${day}, because it does not tie out; its exceptions and tie-out files say why`, { remedy: `Look at it: tillage journal --date ${day} --store ${store}` })
  }
  return made
}

/** The same files of a day as were given out before: those of the books, for other lists belong to their own moment. */
function again(store: string, day: string, { files }: Manifest): BooksOrder {
  const booked = datasetsOf([bookedStream()]).map(({ name }) => name)
  const ours = files.filter(({ dataset }) => booked.includes(dataset))
  const journals = files.flatMap(({ dataset }) => /^journal_([a-z]+)/.exec(dataset)?.[1] ?? (dataset === 'daily_sales_journal' ? 'generic' : []))
  return { store, day, datasets: [...new Set(ours.map(({ dataset }) => dataset))], formats: FILE_FORMATS.filter((format) => ours.some((file) => file.format === format)), journal: [...new Set(journals)] }
}
