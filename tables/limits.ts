/**
 * What a table that somebody hands in may hold: far more than any count or catalog, and little
 * enough that reading a hostile one stays within some hundred megabytes of memory.
 */
export const TABLE_LIMITS = {
  fileMegabytes: 32,
  /** Of a workbook: all its parts. */
  inflatedMegabytes: 64,
  /** Of a workbook: files in it. */
  parts: 1_000,
  /** Of a workbook: tags of all its parts, some four for each cell and each shared text. */
  tags: 2_500_000,
  tagBytes: 16_384,
  /** Of a workbook: texts that cells refer to. */
  sharedTexts: 300_000,
  /** Of a workbook, empty ones within the table included; CSV takes less memory for each. */
  workbookCells: 300_000,
  csvCells: 2_000_000,
  rows: 200_000,
  columns: 1_000,
  /** Of all cells of a workbook: one text may stand in many of them. */
  workbookCharacters: 32_000_000,
  /** As much as Excel takes. */
  cellCharacters: 32_767,
} as const
