import { hash } from 'node:crypto'
import type { Config } from '../config.ts'

/** Keys come from the environment of whoever starts, and are written down nowhere. */
const SECRET = /key$/i

/** By section of `tillage.yaml`, a hash of what it says, without keys. */
export function hashSettings(config: Config): Record<string, string> {
  const { file: _, ...sections } = config
  const withoutKeys = (name: string, value: unknown): unknown =>
    SECRET.test(name) ? undefined : value
  return Object.fromEntries(
    Object.entries(sections).map(([section, value]) => [
      section,
      hash('sha256', JSON.stringify(value, withoutKeys) ?? '').slice(0, 16),
    ]),
  )
}

/** Sections that two hashes differ in. */
export const changedSections = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter(section => one[section] !== other[section])
    .toSorted()
