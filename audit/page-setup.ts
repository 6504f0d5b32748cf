import type { WriteSheet } from 'hucre'

/** A sheet of a workbook on paper: as wide as a page lies, the header in row 1 on each. */
export const PAGE_SETUP: NonNullable<WriteSheet['pageSetup']> = {
  orientation: 'landscape',
  fitToPage: true,
  fitToWidth: 1,
  fitToHeight: 0,
  margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.5 },
  printTitlesRow: '$1:$1',
}
