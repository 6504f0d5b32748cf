import { TillageError } from '../../errors.ts'
import type { PartnerError } from '../../errors.ts'

const WRITE_ZONE = 'Write timeZone: (like America/Los_Angeles) into this store in tillage.yaml.'

/** Nobody says where the days of a store begin; `refused` is why the API did not say it. */
export function unknownZone(store: string, refused: PartnerError | undefined): TillageError {
  const what = `the API does not say in which time zone ${store} is`
  if (refused === undefined) return new TillageError('STORE_UNKNOWN', what, { remedy: WRITE_ZONE })
  return new TillageError('STORE_UNKNOWN', `${what}: ${refused.message}`, {
    cause: refused,
    remedy: `${refused.remedy ?? ''} If it refuses this alone: ${WRITE_ZONE}`.trim(),
  })
}
