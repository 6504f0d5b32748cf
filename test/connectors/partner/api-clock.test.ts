import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createApiClock, skewBetween } from '../../../connectors/partner/client.ts'

const TOLD_MS = Date.UTC(2026, 2, 8, 12)

describe('the clock of an API', () => {
  it('is never further from ours than it really is, and within what the answer leaves open', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -40 * 86_400_000, max: 40 * 86_400_000 }),
        fc.integer({ min: 0, max: 30_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 999 }),
        (skewMs, tookMs, share, withinSecondMs) => {
          // The API writes its second somewhere between request and answer.
          const apiMs = TOLD_MS + withinSecondMs
          const sentAtMs = Math.round(apiMs + skewMs - tookMs * share)
          const measured = skewBetween(TOLD_MS, sentAtMs, sentAtMs + tookMs)
          expect(Math.abs(measured)).toBeLessThanOrEqual(Math.abs(skewMs) + 1)
          expect(Math.abs(skewMs - measured)).toBeLessThanOrEqual(tookMs + 1001)
        },
      ),
    )
  })

  it('is not known before an answer, nor from one without a date', () => {
    const clock = createApiClock()
    expect(clock.skewMs()).toBeUndefined()
    clock.note(undefined, TOLD_MS, TOLD_MS)
    clock.note('yesterday or so', TOLD_MS, TOLD_MS)
    expect(clock.skewMs()).toBeUndefined()
    clock.note(new Date(TOLD_MS).toUTCString(), TOLD_MS + 3_600_000, TOLD_MS + 3_600_050)
    expect(clock.skewMs()).toBe(3_599_000)
  })
})
