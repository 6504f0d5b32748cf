import { TillageError } from '../../errors.ts'
import type { PartnerError } from '../../errors.ts'

/** Nobody says where the days of a store begin; `refused` is why the API did not say it. */
export function unknownZone(store: string, refused: PartnerError | undefined): TillageError {
  const what = `the API does not say in which time zone ${store} is`
  const add = 'dd timeZone: (like America/Los_Angeles) to this store in tillage.yaml.'
  if (refused === undefined) return new TillageError('STORE_UNKNOWN', what, { remedy: `A${add}` })
  return new TillageError('STORE_UNKNOWN', `${what}: ${refused.message}`, {
    cause: refused,
    remedy: [refused.remedy, `If it refuses this alone, a${add}`].join(' ').trim(),
  })
}
