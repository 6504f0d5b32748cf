import { monthRange } from '../../books/periods.ts'
import { addDays } from '../../calendar/days.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'

/** Journals of days of a month without a sale, as the database remembers them. */
export async function bookQuietDays(
  { config }: { config: { database: string } },
  month: string,
  except: readonly string[],
): Promise<void> {
  const history = await openPostingHistory(config.database)
  const { from, to } = monthRange(month)
  for (let day = from; day < to; day = addDays(day, 1)) {
    if (except.includes(day)) continue
    const files = [{ format: 'generic', revision: 0 }]
    await history.rememberState(
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
    await history.post('downtown', day, { entries: [entry], files, at: '2026-04-01T00:00:00.000Z' })
  }
  await history.close()
}
