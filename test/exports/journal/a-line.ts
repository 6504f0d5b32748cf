import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import type { JournalLine } from '../../../exports/journal/entry.ts'
import { toAmount } from '../../../money/amount.ts'

/** What an empty section of the settings means. */
export const DEFAULT_ACCOUNTING = accountingSettings.parse({})

/** A line of a journal; positive amounts are debits. */
export function aLine(code: string, amount: string, rest: Partial<JournalLine> = {}): JournalLine {
  return {
    account: { code, name: `Account ${code}` },
    metric: 'revenue',
    part: '',
    consumerType: '',
    category: '',
    tender: '',
    authority: '',
    transactions: 1,
    ...rest,
    amount: toAmount(amount)!,
  }
}
