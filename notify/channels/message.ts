import type { NoticeDocument } from '../document.ts'

/** What is sent, under the id by which a receiver knows that it has it already. */
export interface Message {
  /** `NOTICE/NUMBER`. */
  key: string
  document: NoticeDocument
}

/** How long a receiver may take. */
export const LONGEST_SENDING_MS = 10_000
