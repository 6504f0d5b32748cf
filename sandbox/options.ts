import { isDay } from '../calendar/days.ts'
import type { ProfileName } from './faults/profiles.ts'
import { findProfile } from './faults/profiles.ts'

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  port?: number
  host?: '127.0.0.1'
  /** The same seed and the same options give the same bytes. Default 1. */
  seed?: number
  stores?: number
  days?: number
  /**
   * ISO day, exclusive end of the seeded data. Given, it is also what the sandbox takes for now.
   * Default: today, in each store's zone.
   */
  until?: string
  /** Mean per store; weekends have more. */
  transactionsPerDay?: number
  /**
   * Approximate size of one transaction's JSON. Below the natural size of about 2 KB it only drops
   * what is optional.
   */
  recordBytes?: number
  /** Names from the table in `faults/profiles.ts`. */
  profiles?: string[]
  /** SQLite file that keeps every change; without it nothing is written. */
  data?: string
}

export interface Settings {
  port: number
  host: string
  seed: number
  stores: number
  days: number
  /** Undefined: today, and the clock is the machine's. */
  until: string | undefined
  transactionsPerDay: number
  recordBytes: number
  profiles: readonly ProfileName[]
  data: string | undefined
  /** The moment whose day ends the seeded data unless `until` is given. */
  bornMs: number
}

const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  seed: 1,
  stores: 2,
  days: 60,
  transactionsPerDay: 180,
  recordBytes: 3000,
  profiles: [],
} as const

/** Lowest and highest valid value of each whole number. */
const LIMITS = {
  port: [0, 65_535],
  seed: [0, 0xffffffff],
  stores: [1, 200],
  days: [1, 3660],
  transactionsPerDay: [1, 1_000_000],
  recordBytes: [1, 1_000_000],
} as const

/** Fills in the defaults and refuses what cannot be, with what was received and what is valid. */
export function readOptions(options: SandboxOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const wanted = { ...DEFAULTS, ...(Object.fromEntries(given) as SandboxOptions) }
  for (const [name, [lowest, highest]] of Object.entries(LIMITS)) {
    const value = wanted[name as keyof typeof LIMITS]
    if (!Number.isInteger(value) || value < lowest || value > highest)
      throw new RangeError(
        `sandbox: ${name} is ${value}; valid is a whole number from ${lowest} to ${highest}`,
      )
  }
  const { until, data } = wanted
  if (until !== undefined && !isDay(until))
    throw new RangeError(`sandbox: until is ${until}; valid is an ISO day such as 2026-03-15`)
  const profiles = wanted.profiles.map(name => findProfile(name))
  return { ...wanted, until, data, profiles, bornMs: Date.now() }
}
