import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localIso } from '../../calendar/clock.ts'
import { DAY_MS, HOUR_MS } from '../../calendar/days.ts'
import { readCountTime } from '../../reconcile/count-time.ts'

const ZONE = 'America/Los_Angeles'
const SNAPSHOT_MS = Date.parse('2026-11-23T22:00:00Z')
const NOW_MS = Date.parse('2026-11-24T08:00:00Z')
const span = { timeZone: ZONE, snapshotMs: SNAPSHOT_MS, nowMs: NOW_MS }
const at = Date.parse('2026-11-24T00:05:00Z')

describe('a time of a count', () => {
  it.each([
    '2026-11-24T00:05:00Z',
    '2026-11-23T16:05:00-08:00',
    '2026-11-23T16:05:00',
    '2026-11-23 16:05',
    '11/23/2026 4:05 PM',
    '11/23/2026 4:05:00 pm',
    '11/23/2026 16:05',
    '11/23/26 4:05 PM',
    '23.11.2026 16:05',
    '23/11/2026 16:05',
    '46349.670138889',
  ])('is that of the store, written as %s', text => {
    expect(readCountTime(text, span)).toEqual({ ms: at })
  })

  it.each([
    ['', 'COUNTED_AT_MISSING', 'when was it counted?'],
    ['yesterday', 'COUNTED_AT_INVALID', 'is not a time'],
    ['13:75', 'COUNTED_AT_INVALID', 'is not a time'],
    ['11/23/2026', 'COUNTED_AT_INVALID', 'a day without a time'],
    ['2026-11-23', 'COUNTED_AT_INVALID', 'a day without a time'],
    ['46349', 'COUNTED_AT_INVALID', 'a day without a time'],
    ['11/23/2026 16:05 PM', 'COUNTED_AT_INVALID', 'is not a time'],
    ['2026-02-30 10:00', 'COUNTED_AT_INVALID', 'is not a time'],
    ['2026-11-31T00:05:00Z', 'COUNTED_AT_INVALID', 'is not a time'],
    ['2026-11-23T24:00:00Z', 'COUNTED_AT_INVALID', 'is not a time'],
    ['2020-01-01T00:00:00Z', 'COUNTED_BEFORE', 'before the snapshot'],
    ['11/23/2026 10:00 AM', 'COUNTED_BEFORE', '18:00:00.000Z'],
    ['11/24/2026 10:00 AM', 'COUNTED_IN_FUTURE', 'in the future'],
  ])('is refused as %j with its reason', (text, code, says) => {
    expect(readCountTime(text, span)).toEqual({ code, message: expect.stringContaining(says) })
  })

  it('in the minute of the snapshot is not before it', () => {
    const late = { ...span, snapshotMs: at + 30_000 }
    expect(readCountTime('11/23/2026 4:05 PM', late)).toEqual({ ms: late.snapshotMs })
    expect(readCountTime('11/23/2026 4:04 PM', late)).toMatchObject({ code: 'COUNTED_BEFORE' })
  })

  it('that can be two times is refused with both', () => {
    const long = { ...span, snapshotMs: Date.parse('2026-03-01T00:00:00Z') }
    const months = readCountTime('3/4/2026 4:05 PM', long)
    expect(months).toMatchObject({
      code: 'COUNTED_AT_AMBIGUOUS',
      message: expect.stringMatching(/2026-03-05T00:05.* or 2026-04-03T23:05/),
    })
    // Clocks are set back at two in the night to 1 November: 1:30 is there twice.
    expect(readCountTime('2026-11-01 01:30', long)).toMatchObject({ code: 'COUNTED_AT_AMBIGUOUS' })
    const after = { ...long, snapshotMs: Date.parse('2026-11-01T09:00:00Z') }
    expect(readCountTime('2026-11-01 01:30', after)).toEqual({
      ms: Date.parse('2026-11-01T09:30:00Z'),
    })
    // And forward in the night to 8 March: 2:30 is never.
    expect(readCountTime('2026-03-08 02:30', long)).toMatchObject({ code: 'COUNTED_AT_INVALID' })
  })

  it('is read as it was meant, or refused, in any zone and whenever', () => {
    const zones = fc.constantFrom(ZONE, 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Toronto')
    fc.assert(
      fc.property(zones, fc.integer({ min: 0, max: 600 * 24 * 60 }), (timeZone, minutes) => {
        const ms = Date.parse('2025-06-01T00:00:00Z') + minutes * 60_000
        const [year, month, day, clock] = localIso(ms, timeZone).split(/[-T]/)
        const meant = { timeZone, snapshotMs: ms - 8 * HOUR_MS, nowMs: ms + 4 * HOUR_MS }
        const wall = clock!.slice(0, 5)
        for (const text of [
          `${year}-${month}-${day} ${wall}`,
          `${Number(month)}/${Number(day)}/${year} ${wall}`,
          `${Number(day)}.${Number(month)}.${year} ${wall}`,
        ]) {
          const read = readCountTime(text, meant)
          if ('ms' in read) expect(read.ms).toBe(ms)
          else expect(read.code).toBe('COUNTED_AT_AMBIGUOUS')
        }
        const days = Date.parse(`${year}-${month}-${day}T${wall}:00Z`) - Date.UTC(1899, 11, 30)
        const read = readCountTime((days / DAY_MS + 1e-9).toFixed(9), meant)
        if ('ms' in read) expect(read.ms).toBe(ms)
      }),
    )
  })
})
