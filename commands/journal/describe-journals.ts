import type { StoreExport } from '../../books/export-store.ts'
import type { JournalOutcome } from '../../exports/journal/journal-outcome.ts'
import { JOURNAL_FORMATS } from '../../exports/journal/settings.ts'
import type { JournalFormat } from '../../exports/journal/settings.ts'
import { countOf, formatNumber } from '../terminal/number.ts'
import { oneLine } from '../terminal/printable.ts'
import { pathFromHere } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'

/** Of one business day. */
export type StoreJournal = StoreExport & { day: string; journal: JournalOutcome }

/** As `journal --json` answers. */
export function journalsAsJson(done: readonly StoreJournal[]): object {
  // A dry run has none.
  const manifests = done.map(({ manifest }) => manifest).filter(path => path !== '')
  return {
    files: done.flatMap(({ files }) =>
      files.map(({ path, dataset, format, rows, sha256 }) => ({
        path,
        format: formatOf(dataset) ?? format,
        dataset,
        rows,
        sha256,
      })),
    ),
    manifest: manifests[0] ?? null,
    manifests,
    stores: done.map(({ store, currency, day, revision, journal }) => ({
      store,
      currency,
      day,
      revision,
      held: journal.held,
      entries: journal.entries,
      accounts: journal.accounts,
      differences: journal.differences,
      figures: journal.figures,
      chartDifferences: journal.chartDifferences,
      exceptions: journal.exceptions.length,
      tieOuts: journal.tieOuts,
    })),
  }
}

/** `journal_qbo` is qbo's. */
const formatOf = (dataset: string): JournalFormat | undefined =>
  dataset === 'daily_sales_journal'
    ? 'generic'
    : JOURNAL_FORMATS.find(format => dataset.startsWith(`journal_${format}`))

/** The entries, the checks, and where the files are. */
export const describeJournals = (done: readonly StoreJournal[]): string =>
  [
    describeEntries(done),
    describeMoved(done),
    describeFigures(done),
    describeChecks(done),
    describeFiles(done),
  ]
    .filter(part => part !== '')
    .join('\n\n')

/** The entries, the accounts, and the checks of journals that nobody wrote. */
export const describeDryRun = (done: readonly StoreJournal[]): string =>
  [describeEntries(done), describeFigures(done), describeAccounts(done), describeChecks(done)]
    .filter(part => part !== '')
    .join('\n\n')

function describeEntries(done: readonly StoreJournal[]): string {
  const state = ({ journal, revision }: StoreJournal): (string | number)[][] => {
    if (journal.held) return [['held back, see below', '', '', '']]
    if (journal.entries.length === 0) return [[`unchanged (r${revision})`, '', '', '']]
    return journal.entries.map(({ number, date, debit, credit }) => [number, date, debit, credit])
  }
  const hasSeveral = new Set(done.map(({ currency }) => currency)).size > 1
  return formatTable(
    ['store', 'journal', 'dated', 'debits', 'credits', ...(hasSeveral ? ['currency'] : [])],
    done.flatMap(one =>
      state(one).map(cells => [one.store, ...cells, ...(hasSeveral ? [one.currency] : [])]),
    ),
  )
}

/** Each store's day as its closing report would have it: a line for a figure. */
function describeFigures(done: readonly StoreJournal[]): string {
  const rows = done.flatMap(({ store, journal }) =>
    journal.figures.map(({ figure, amount }) => [store, figure, amount]),
  )
  return rows.length === 0 ? '' : formatTable(['store', 'figure', 'amount'], rows)
}

/** What the day says by account, debits positive, and by how much that is not what was posted. */
function describeAccounts(done: readonly StoreJournal[]): string {
  const rows = done.flatMap(({ store, journal: { accounts, differences } }) => {
    const [says, beyond] = [accounts, differences].map(
      amounts => new Map(amounts.map(({ account, amount }) => [account, amount])),
    )
    const names = [...new Set([...says!.keys(), ...beyond!.keys()])]
    return names.map(name => [store, name, says!.get(name) ?? '0.00', beyond!.get(name) ?? ''])
  })
  return formatTable(['store', 'account', 'amount', 'not posted yet'], rows)
}

/** By how much entries of now move what was posted before; the restatement says what did. */
function describeMoved(done: readonly StoreJournal[]): string {
  const rows = done
    .filter(({ journal }) => journal.standing !== undefined && journal.entries.length > 0)
    .flatMap(({ store, journal: { standing, differences } }) =>
      differences.map(({ account, amount }) => [store, standing!, account, amount]),
    )
  return rows.length === 0 ? '' : formatTable(['store', 'beyond', 'account', 'amount'], rows)
}

const describeChecks = (done: readonly StoreJournal[]): string =>
  formatTable(
    ['store', 'check', 'expected', 'actual', 'delta', ''],
    done.flatMap(({ store, journal }) =>
      journal.tieOuts.map(({ check, expected, actual, delta, status }) => [
        store,
        check,
        expected,
        actual,
        delta,
        status,
      ]),
    ),
  )

const describeFiles = (done: readonly StoreJournal[]): string =>
  done
    .flatMap(({ files, manifest }) => [...files.map(({ path }) => path), manifest])
    .map(path => `  ${pathFromHere(path)}`)
    .join('\n')

const MOST_SHOWN = 5
/** Of many exceptions, so that one cause does not hide another. */
const EXAMPLES_OF_A_CODE = 2

/** A changed chart is a question: nothing was posted for it. */
function describeChart(store: string, { chartDifferences }: JournalOutcome): string[] {
  if (chartDifferences.length === 0) return []
  const moved = chartDifferences.map(({ account, amount }) => `${account} ${amount}`)
  return [
    `${store}: the chart changed since this day was posted; it stays as it was posted. ` +
      `Today's chart would move: ${moved.join(', ')}`,
    'To post the day again by it: --restate --reason TEXT',
  ]
}

/** What keeps a journal back, or is worth a look, in a few lines. */
export function describeExceptions(store: string, outcome: JournalOutcome): string[] {
  const { held, exceptions } = outcome
  const shown = examplesOf(exceptions)
  const lines = shown.map(({ severity, code, transactionId, detail }) =>
    oneLine(
      `${store} ${severity} ${code}` +
        `${transactionId === '' ? '' : ` transaction ${transactionId}`}: ${detail}`,
    ),
  )
  if (exceptions.length > shown.length)
    lines.push(
      `${store}: and ${countOf(exceptions.length - shown.length, 'more exception')}, ` +
        `all of them in its exceptions file: ${countCodes(exceptions)}`,
    )
  if (held)
    lines.push(`JOURNAL_HELD: ${describeHeld(store, outcome)}`, ...remediesOf(store, exceptions))
  return [...lines, ...describeChart(store, outcome)]
}

const describeHeld = (store: string, { standing }: JournalOutcome): string =>
  standing === undefined
    ? `${store} has no journal for this day, because it does not tie out`
    : `${store} has no change of ${standing}, which stands, because the day does not tie out`

/** All if they are few; else some of each code, errors first. */
function examplesOf(exceptions: JournalOutcome['exceptions']): JournalOutcome['exceptions'] {
  if (exceptions.length <= MOST_SHOWN) return exceptions
  const seen = new Map<string, number>()
  const examples = exceptions.filter(({ code }) => {
    const before = seen.get(code) ?? 0
    seen.set(code, before + 1)
    return before < EXAMPLES_OF_A_CODE
  })
  const errors = examples.filter(({ severity }) => severity === 'error')
  const others = examples.filter(({ severity }) => severity !== 'error')
  return [...errors, ...others].slice(0, MOST_SHOWN)
}

/** `COST_MISSING 117, CANNABIS_UNKNOWN 117`. */
export function countCodes(exceptions: JournalOutcome['exceptions']): string {
  const codes = [...new Set(exceptions.map(({ code }) => code))]
  const timesOf = (code: string): number => exceptions.filter(one => one.code === code).length
  return codes.map(code => `${code} ${formatNumber(timesOf(code))}`).join(', ')
}

/** What no table could take cannot be accepted with a reason: nobody knows what it says. */
function remediesOf(store: string, exceptions: JournalOutcome['exceptions']): string[] {
  const holds = (codes: readonly string[]): boolean =>
    exceptions.some(({ severity, code }) => severity === 'error' && codes.includes(code))
  return [
    ...(holds(['ROWS_DIFFER'])
      ? [
          'Replay what could not be loaded, or give it up: ' +
            `tillage dead-letters list --store ${store}`,
        ]
      : []),
    ...(holds(['CLOSING_DIFFERS'])
      ? [
          'A till may count what is not booked: excluded_reason in the transactions file of the ' +
            'day says what is left out; docs/journals.md says where else to look',
        ]
      : []),
    ...(holds(['TIE_OUT', 'UNMAPPED', 'UNBALANCED', 'CLOSING_DIFFERS'])
      ? [
          'Correct what is named above at its source and sync again, ' +
            'name what has no account in tillage.yaml, or accept the difference: ' +
            '--suspense --reason TEXT',
        ]
      : []),
    ...(holds(['COST_MISSING'])
      ? [
          `Costs come with the lots: tillage sync batches --store ${store} reads those that the ` +
            'API has got since. Where it has none, ' +
            'accounting: { missingCosts: flag } in tillage.yaml books without them, ' +
            'and --suspense --reason TEXT does so for one day',
        ]
      : []),
  ]
}
