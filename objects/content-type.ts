import { extname } from 'node:path'

/** By the endings of files that are given out. */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.parquet': 'application/vnd.apache.parquet',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** What a file is, for whoever fetches it; all that is known of `.iif` is that it has bytes. */
export const contentTypeOf = (path: string): string =>
  TYPES[extname(path)] ?? 'application/octet-stream'
