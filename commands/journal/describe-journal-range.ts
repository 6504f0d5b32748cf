import { addDays } from '../../calendar/days.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { countCodes } from './describe-journals.ts'
import type { StoreJournal } from './describe-journals.ts'

/** The journals of many days: a line for each, and how many files there are. */
export function describeJournalRange(done: readonly StoreJournal[], dryRun: boolean): string {
  const table = formatTable(
    ['store', 'day', 'journal', 'debits', 'credits'],
    done.flatMap(one => entriesOf(one).map(cells => [one.store, one.day, ...cells])),
  )
  const files = done.reduce((sum, one) => sum + one.files.length, 0)
  const days = done.map(({ day }) => day).toSorted()
  const range = `--from ${days[0]} --to ${addDays(days.at(-1)!, 1)}`
  return dryRun ? table : `${table}\n\n  ${countOf(files, 'file')}; which: tillage files ${range}`
}

function entriesOf({ journal, revision }: StoreJournal): string[][] {
  if (journal.held) return [['held back, see below', '', '']]
  if (journal.entries.length === 0) return [[`unchanged (r${revision})`, '', '']]
  return journal.entries.map(({ number, debit, credit }) => [number, debit, credit])
}

/** One line for each day that somebody should look at, with the command that shows all of it. */
export const describeRangeTroubles = (done: readonly StoreJournal[]): string[] => [
  ...describeTroubledDays(done),
  ...describeMovedDays(done),
]

/** What today's chart would move of each day that stands by an earlier one. */
const describeMovedDays = (done: readonly StoreJournal[]): string[] =>
  done
    .filter(({ journal }) => journal.chartDifferences.length > 0)
    .map(
      ({ store, day, journal }) =>
        `${store} ${day} was posted with an earlier chart; today's would move: ` +
        journal.chartDifferences.map(({ account, amount }) => `${account} ${amount}`).join(', '),
    )

const describeTroubledDays = (done: readonly StoreJournal[]): string[] =>
  done
    .filter(({ journal }) => journal.held || journal.exceptions.length > 0)
    .map(({ store, day, journal: { held, exceptions } }) => {
      const codes = exceptions.length === 0 ? 'it does not tie out' : countCodes(exceptions)
      return (
        `${held ? 'JOURNAL_HELD: ' : ''}${store} ${day}: ${codes}. ` +
        `More: tillage journal --store ${store} --date ${day}`
      )
    })
