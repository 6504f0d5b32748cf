import { monthRange } from '../../books/periods.ts'
import { addDays } from '../../calendar/days.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'

/** Journals of days of a month without a sale, as the database remembers them. */
export function bookQuietDays(
  { config }: { config: { database: string } },
  month: string,
  except: readonly string[],
): void {
  const history = openPostingHistory(config.database)
  const { from, to } = monthRange(month)
  for (let day = from; day < to; day = addDays(day, 1)) {
    if (except.includes(day)) continue
    const files = [{ format: 'generic', revision: 0 }]
    history.rememberState(
      { store: 'downtown', days: { from: day, to: addDays(day, 1) } },
      'transactions',
      { revision: 0, state: 'none' },
    )
    const entry = {
      number: `downtown-${day.replaceAll('-', '')}-R0`,
      revision: 0,
      kind: 'posting' as const,
      date: day,
      businessDate: day,
      lines: [],
      settings: undefined,
    }
    history.post('downtown', day, { entries: [entry], files, at: '2026-04-01T00:00:00.000Z' })
  }
  history.close()
}
