import type { FileFormat } from '../../exports/formats/formats.ts'
import type { JournalFormat } from '../../exports/journal/settings.ts'

/** One sale of the day, as far as the steps change it. */
export interface SaleOfDay {
  tender: 'Cash' | 'Debit' | 'Check'
  price: number
  isVoid: boolean
  /** Paid less than it costs: its journal is held back. */
  isShort: boolean
  /** Something that no file of the books shows, but the day's data hold it. */
  note: number
}

export interface ChartChoice {
  cash: '1010' | '1011'
  /** What QuickBooks calls the account of cash. */
  text: 'Till' | 'Drawer'
  location: 'A' | 'B'
  /** Days up to the test day are closed. */
  closed: boolean
}

/** Where a run writes to. */
export type Out = 'exports' | 'elsewhere'

/** What a bookkeeper does, or what happens to one. */
export type Step =
  | { kind: 'edit'; sale: number; change: Partial<SaleOfDay> }
  | { kind: 'export'; datasets: readonly string[]; formats: readonly FileFormat[]; out: Out }
  | {
      kind: 'journal'
      formats: readonly JournalFormat[]
      out: Out
      how: 'plain' | 'restate' | 'reissue' | 'dry run'
    }
  | { kind: 'chart'; chart: Partial<ChartChoice> }
  | { kind: 'next month' }
  | { kind: 'delete folder'; out: Out }
  | { kind: 'again' }

export type RunStep = Extract<Step, { kind: 'export' | 'journal' }>
