import { expect, it } from 'vitest'
import { inSentences } from '../../reconcile/story.ts'

const at = '2026-03-12T08:00:00.000Z'

it('a story names who decided what, in sentences that end once', () => {
  const told = inSentences([
    { at, event: 'unclear', by: null, detail: 'Safe (op-1): no whole answer (UND_ERR_SOCKET).' },
    { at, event: 'resolved as retry', by: 'Kim', detail: 'Safe (op-1): not in the platform.' },
    { at, event: 'sent again', by: 'Kim', detail: 'Safe (op-1): not in the platform' },
    { at, event: 'confirmed', by: null, detail: 'Safe (op-1)' },
    { at, event: 'discarded', by: 'Kim', detail: 'the count was of last week' },
  ])
  expect(told.map(line => line.slice('2026-03-12 08:00:00  '.length))).toEqual([
    'Nobody knew what became of Safe (op-1): no whole answer (UND_ERR_SOCKET).',
    'Kim wants it sent again: Safe (op-1): not in the platform.',
    'Kim had it sent again: Safe (op-1): not in the platform.',
    'The API took Safe (op-1).',
    'Kim discarded the plan: the count was of last week.',
  ])
})
