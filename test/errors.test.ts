import { describe, expect, it } from 'vitest'
import {
  ConfigError,
  DatabaseError,
  ERROR_CODES,
  PartnerError,
  TillageError,
  UsageError,
} from '../errors.ts'
import type { ErrorCode } from '../errors.ts'

const codes = Object.keys(ERROR_CODES) as ErrorCode[]

describe('an error code', () => {
  it.each(codes)('%s says what to do, how to exit and what it means', code => {
    const error = new TillageError(code, 'a sentence')
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(['fatal', 'retry', 'dead-letter', 'park']).toContain(error.recovery)
    expect([1, 2, 3]).toContain(error.exitStatus)
    expect(ERROR_CODES[code].means).toMatch(/^[a-z].*[^.]$|^tillage/)
  })

  it('is never renamed: these are printed, kept in ledgers and matched by workflows', () => {
    const released = [
      'USAGE',
      'CONFIG',
      'PARTNER_KEYS',
      'PARTNER_PERMISSION',
      'PARTNER_NOT_API',
      'PARTNER_REFUSED',
      'PARTNER_RATE_LIMIT',
      'PARTNER_UNAVAILABLE',
      'PARTNER_UNREACHABLE',
      'PARTNER_TRUNCATED',
      'PARTNER_ERROR_BODY',
      'PARTNER_ENVELOPE',
      'STORE_UNKNOWN',
      'DATABASE_NEWER',
      'DATABASE_BROKEN',
      'DATABASE_FULL',
      'COUNTS_DIFFER',
      'TEMPORAL_MISSING',
      'TEMPORAL_UNREACHABLE',
      'NOT_PROVEN',
      'INTERRUPTED',
    ]
    expect(released.filter(code => !(code in ERROR_CODES))).toEqual([])
  })

  it('exits with 2 for what the user wrote, and with 3 only for what did not stop the others', () => {
    expect(codes.filter(code => ERROR_CODES[code].exit === 2)).toEqual([
      'USAGE',
      'CONFIG',
      'COUNTS_INVALID',
    ])
    for (const code of codes)
      if (ERROR_CODES[code].exit === 3) expect(ERROR_CODES[code].recovery, code).not.toBe('fatal')
  })
})

describe('an error', () => {
  it('carries its class name, its cause, its remedy and the pause that the API asked for', () => {
    const cause = new Error('below')
    const error = new PartnerError('PARTNER_RATE_LIMIT', 'answered 429', {
      cause,
      remedy: 'wait',
      retryAfterMs: 7,
    })
    expect(error).toBeInstanceOf(TillageError)
    expect(error).toMatchObject({
      name: 'PartnerError',
      message: 'answered 429',
      cause,
      remedy: 'wait',
      retryAfterMs: 7,
      recovery: 'retry',
      exitStatus: 3,
    })
    expect(new DatabaseError('DATABASE_FULL', 'full')).toMatchObject({
      name: 'DatabaseError',
      remedy: undefined,
      retryAfterMs: undefined,
    })
    expect(new UsageError('no such stream')).toMatchObject({
      name: 'UsageError',
      code: 'USAGE',
      exitStatus: 2,
    })
  })

  it('of the configuration lists every problem, and counts them', () => {
    expect(new ConfigError('tillage.yaml', ['one'], 'fix it').message).toBe(
      'tillage.yaml has a problem:\n  - one',
    )
    expect(new ConfigError('tillage.yaml', ['one', 'two'], 'fix it')).toMatchObject({
      message: 'tillage.yaml has 2 problems:\n  - one\n  - two',
      problems: ['one', 'two'],
      exitStatus: 2,
    })
  })
})
