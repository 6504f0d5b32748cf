/** The head of an audit log as one line, to keep where nobody who can write the log can. Pure. */
import type { LogHead } from './written-evidence.ts'

/** `412 9f86d0...`; undefined: the log has no entry yet. */
export function headLine(heads: readonly LogHead[]): string | undefined {
  const head = heads.at(-1)
  return head === undefined ? undefined : `${head.seq} ${head.hash}`
}

/** Undefined where the text is no such line. */
export function parseHead(line: string): LogHead | undefined {
  const [, seq, hash] = /^\s*(\d{1,15})\s+([0-9a-f]{64})\s*$/.exec(line) ?? []
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash }
}

export type Continuation = { continues: true; later: number } | { continues: false; why: string }

/** Whether a log is the one whose head was kept, with what came since. */
export function compareHead(heads: readonly LogHead[], kept: LogHead): Continuation {
  const at = heads.findIndex(({ seq }) => seq === kept.seq)
  if (at === -1) {
    const last = heads.at(-1)?.seq
    const end = last === undefined ? 'it is empty' : `its last is ${last}`
    return { continues: false, why: `it has no entry ${kept.seq}; ${end}` }
  }
  return heads[at]!.hash === kept.hash
    ? { continues: true, later: heads.length - 1 - at }
    : { continues: false, why: `its entry ${kept.seq} differs` }
}
