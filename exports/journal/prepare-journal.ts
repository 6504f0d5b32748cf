import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sale } from '../books/sale.ts'
import type { ManifestDataset, StoredManifest } from '../manifest.ts'
import { fingerprint } from '../publish.ts'
import type { PreparedFile } from '../publish.ts'
import { buildJournal } from './build-journal.ts'
import type { DayJournal } from './build-journal.ts'
import { reasonOf } from './checks.ts'
import type { JournalException, TieOutRow } from './checks.ts'
import type { Figures } from './closing.ts'
import { addUp } from './entry.ts'
import type { JournalEntry } from './entry.ts'
import { EXCEPTIONS, TIE_OUT, writeExceptions, writeTieOuts } from './formats/exceptions.ts'
import { readAccepted, readPosted } from './posted.ts'
import { reviseJournal } from './revise.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { datasetOf, journalOf, totalsOf, writeFormat } from './write-formats.ts'
import type { JournalText } from './write-formats.ts'

/** What a journal needs to know besides its transactions. Survives being sent to a thread. */
export interface JournalOrder {
  settings: AccountingSettings
  formats: readonly JournalFormat[]
  storeKey: string
  /** The business day on which this runs. */
  today: string
  deadLetters: number
  withoutDay?: readonly string[]
  closing?: Figures | undefined
  suspenseReason?: string | undefined
}

/** How it went, for the person who asked. */
export interface JournalOutcome {
  /** Something does not tie out: no journal was written, the exceptions and the tie-out say why. */
  held: boolean
  /** The entries of this revision; none if what was posted before still stands. */
  entries: {
    number: string
    kind: JournalEntry['kind']
    date: string
    debit: string
    credit: string
  }[]
  exceptions: JournalException[]
  tieOuts: TieOutRow[]
}

export interface JournalDraft {
  /** Pseudo-streams of the files that are made now; others of the day are carried over. */
  streams: string[]
  datasets: ManifestDataset[]
  files: PreparedFile[]
  outcome: JournalOutcome
}

export interface JournalDay {
  store: string
  businessDate: string
  /** The folder of what was published, and the one where files are prepared. */
  out: string
  workFolder: string
  newest: StoredManifest | undefined
}

const CHECKS = 'journal_checks'
const JOURNAL = 'journal'

/**
 * Makes the files of one store and day (`sales` may be read twice): always the tie-out and the
 * exceptions, and the journal where it may be written.
 */
export function prepareJournal(
  sales: () => Iterable<{ sale: Sale }>,
  order: JournalOrder,
  day: JournalDay,
): JournalDraft {
  const { store, businessDate, newest } = day
  const { settings } = order
  const posted = readPosted(day.out, newest, businessDate)
  const built = buildAgain(sales, order, day, posted ?? [])
  const revision = (newest?.manifest.revision ?? -1) + 1
  const code = settings.stores[store]?.code ?? store
  const present = (format: JournalFormat): boolean =>
    newest?.manifest.files.some(({ dataset }) => dataset === datasetOf(format)) ?? false
  const changes = built.held
    ? []
    : reviseJournal(
        {
          code,
          businessDate,
          lines: built.lines,
          revision,
          today: order.today,
          periodClosedThrough: settings.periodClosedThrough,
        },
        posted,
      )
  const changed =
    !built.held && (posted === undefined || changes.some(({ lines }) => lines.length > 0))
  const wanted = JOURNAL_FORMATS.filter(
    format => format === 'generic' || order.formats.includes(format),
  )
  const formats = built.held
    ? []
    : changed
      ? JOURNAL_FORMATS.filter(format => wanted.includes(format) || present(format))
      : wanted.filter(format => !present(format))
  // A format that is asked for only now has imported nothing of what was posted before.
  const entriesIn = (format: JournalFormat): JournalEntry[] => [
    ...(present(format) ? [] : (posted ?? [])),
    ...(changed ? changes : []),
  ]
  const checks: JournalText[] = [
    {
      dataset: EXCEPTIONS,
      extension: 'csv',
      text: writeExceptions(built.exceptions),
      rows: built.exceptions.length,
      sums: {},
    },
    {
      dataset: TIE_OUT,
      extension: 'csv',
      text: writeTieOuts(built.tieOuts),
      rows: built.tieOuts.length,
      sums: {},
    },
  ]
  const journals = formats.flatMap(format =>
    writeFormat(format, journalOf(store, order.storeKey, settings, entriesIn(format))),
  )
  return {
    streams: changed ? [CHECKS, JOURNAL] : [CHECKS],
    datasets: [
      ...checks.map(text => describe(text, CHECKS)),
      ...journals.map(text => describe(text, JOURNAL)),
    ],
    files: [...checks, ...journals].map(text => write(text, day.workFolder)),
    outcome: {
      held: built.held,
      entries: changed
        ? changes.map(entry => ({
            number: entry.number,
            kind: entry.kind,
            date: entry.date,
            ...totalsOf([entry]),
          }))
        : [],
      exceptions: built.exceptions,
      tieOuts: built.tieOuts,
    },
  }
}

/**
 * A day of which somebody accepted a difference stays as it is without being told again, as long as
 * it is the same difference.
 */
function buildAgain(
  sales: () => Iterable<{ sale: Sale }>,
  { settings, deadLetters, withoutDay, closing, suspenseReason }: JournalOrder,
  { out, newest }: JournalDay,
  posted: readonly JournalEntry[],
): DayJournal {
  const question = { settings, deadLetters, withoutDay, closing, suspenseReason }
  const built = buildJournal({ ...question, sales: only(sales()) })
  if (!built.held) return built
  const accepted = readAccepted(out, newest)
  const reason = accepted.map(reasonOf).find(one => one !== undefined)
  if (reason === undefined) return built
  const again = buildJournal({ ...question, sales: only(sales()), suspenseReason: reason })
  const isNew = ({ severity, transactionId, detail }: JournalException): boolean =>
    severity === 'override' &&
    !accepted.some(one => one.transactionId === transactionId && one.detail === detail)
  const standing = posted.flatMap(({ lines }) =>
    lines.map(line => ({ ...line, amount: -line.amount })),
  )
  return again.exceptions.some(isNew) || addUp([...again.lines, ...standing]).length > 0
    ? built
    : again
}

function* only(booked: Iterable<{ sale: Sale }>): Generator<Sale> {
  for (const { sale } of booked) yield sale
}

function describe({ dataset, rows, sums }: JournalText, stream: string): ManifestDataset {
  return { dataset, stream, rowsOf: 'range', rows, order: [], columns: [], masked: [], sums }
}

function write({ dataset, extension, text, rows }: JournalText, workFolder: string): PreparedFile {
  const preparedPath = join(workFolder, `${dataset}.${extension}`)
  writeFileSync(preparedPath, text)
  return { preparedPath, dataset, format: extension, rows, ...fingerprint(preparedPath) }
}
