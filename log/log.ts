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
export function createLog({ format, level, file }: LogSettings, line: (text: string) => void): Log {
  const write = file === undefined ? line : appendTo(file, line)
  return event => {
    if (LEVELS.indexOf(event.level) > LEVELS.indexOf(level)) return
    const at = new Date().toISOString()
    if (format === 'json') write(asJson(at, event))
    else write(file === undefined ? event.text : `${at} ${event.level} ${event.text}`)
  }
}

/** No work depends on its log: what the file does not take is shown. */
function appendTo(file: string, line: (text: string) => void): (text: string) => void {
  let isTaken = true
  return text => {
    try {
      appendFileSync(file, `${text}\n`, { mode: 0o600 })
      isTaken = true
    } catch (error) {
      if (isTaken)
        line(`the log ${file} takes nothing (${String(error)}); until it does, its lines come here`)
      isTaken = false
      line(text)
    }
  }
}

const asJson = (at: string, { level, event, text, run, store, stream, window, code }: LogEvent) =>
  JSON.stringify({ at, level, event, run, store, stream, window, code, text })
