import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../calendar/days.ts'
import { judgeEdits } from '../../../exports/sales/edits.ts'

const day = (from: number, to: number): { startMs: number; endMs: number } => ({
  startMs: from * DAY_MS,
  endMs: to * DAY_MS,
})

describe('what is known of later edits', () => {
  it.each([
    ['nothing was read after the day', [day(0, 11)], { knownUntilMs: 11 * DAY_MS, state: 'open' }],
    [
      'the readings went on, but not past the lookback',
      [day(0, 11), day(11, 15)],
      { knownUntilMs: 15 * DAY_MS, state: 'open' },
    ],
    [
      'the lookback lies behind',
      [day(0, 11), day(11, 18)],
      { knownUntilMs: 18 * DAY_MS, state: 'settled' },
    ],
    [
      'a reading is missing in between',
      [day(0, 12), day(13, 30)],
      { knownUntilMs: 12 * DAY_MS, state: 'hole' },
    ],
    [
      'a hole long after the lookback',
      [day(0, 20), day(21, 30)],
      { knownUntilMs: 20 * DAY_MS, state: 'settled' },
    ],
    ['only the day itself was read', [day(10, 11)], { knownUntilMs: 11 * DAY_MS, state: 'open' }],
  ])('where %s', (_, proven, expected) => {
    expect(judgeEdits(proven, day(10, 11), 7)).toEqual(expected)
  })
})
