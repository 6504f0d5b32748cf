import type { Config } from '../config.ts'
import { replaceSecrets } from '../config/secrets.ts'
import { placeOf } from '../connectors/server-address.ts'
import { sha256Of } from '../sha256.ts'

/** By section of `tillage.yaml`, a hash of what it says, without its secrets. */
export function hashSettings(config: Config): Record<string, string> {
  const { file: _, written: __, localFiles: ___, database, exports, objects, ...others } = config
  const bucket = objects && { ...objects, mirror: undefined }
  const sections = { ...others, database: placeOf(database), exports: bucket ?? exports }
  const withoutSecrets = replaceSecrets(sections, () => undefined) as Record<string, unknown>
  return Object.fromEntries(
    // A section that is not there is the same as one without a value.
    Object.entries(withoutSecrets).flatMap(([section, value]) =>
      value === undefined ? [] : [[section, sha256Of(JSON.stringify(value)).slice(0, 16)] as const],
    ),
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
