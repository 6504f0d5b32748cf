import { appendFileSync } from 'node:fs'
import { LEVELS } from './settings.ts'
import type { Level, LogSettings } from './settings.ts'

/** What happened, in words of fixed lists and ids of ours; no record, key or person (INV-10). */
export interface LogEvent {
  level: Level
  event: string
  /** A sentence. */
  text: string
  /** Which run of the program's work: of Temporal, or `nightly/downtown/2026-11-21`. */
  run?: string | undefined
  store?: string | undefined
  stream?: string | undefined
  /** ISO texts in UTC, `START/END`. */
  window?: string | undefined
  /** Of an error or a finding. */
  code?: string | undefined
}

/** One line an event, to the terminal or to a file. */
export type Log = (event: LogEvent) => void

/** `line` shows what goes to no file. */
export const createLog =
  ({ format, level, file }: LogSettings, line: (text: string) => void): Log =>
  event => {
    if (LEVELS.indexOf(event.level) > LEVELS.indexOf(level)) return
    const at = new Date().toISOString()
    const text = format === 'json' ? asJson(at, event) : event.text
    if (file === undefined) return line(text)
    appendFileSync(file, format === 'json' ? `${text}\n` : `${at} ${event.level} ${text}\n`, {
      mode: 0o600,
    })
  }

const asJson = (at: string, { level, event, text, run, store, stream, window, code }: LogEvent) =>
  JSON.stringify({ at, level, event, run, store, stream, window, code, text })
