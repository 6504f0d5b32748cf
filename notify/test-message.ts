import { randomUUID } from 'node:crypto'
import { toIso } from '../calendar/days.ts'
import type { Message } from './channels/message.ts'

/** A notice that means nothing. */
export function testMessage(nowMs: number): Message {
  const id = randomUUID()
  const at = toIso(nowMs)
  return {
    key: `${id}/1`,
    document: {
      schema: 'tillage.notice/1',
      id,
      kind: 'test',
      severity: 'warning',
      state: 'opened',
      store: null,
      title: 'A test of this channel',
      text: 'Somebody ran tillage notify test. Nothing is wrong, and nothing has to be done.',
      next: [{ does: 'lists what is open', command: 'tillage notify list' }],
      since: at,
      at,
      link: 'docs/alarms.md',
    },
  }
}
