import { isOfStore } from './address.ts'

/** A registration as the API lists it: common fields of a PartnerWebHook. */
export interface Registered {
  id: string
  /** Absent: it hears of every type. */
  type?: string | undefined
  urls: readonly string[]
}

export type RegistrationState = 'kept' | 'created' | 'changed' | 'removed' | 'foreign'

/** One registration, and what is to be done with it or was. */
export interface Registration {
  /** Absent: it is to be created. */
  id?: string
  type?: string
  url: string
  state: RegistrationState
}

export interface WantedRegistrations {
  store: string
  publicUrl: string
  /** The store's address; undefined: none is wanted. */
  url: string | undefined
  types: readonly string[]
}

/**
 * What makes the API's registrations of our address equal to what is wanted: one of each type, or
 * one that hears of all. Those of others are touched by nothing. Pure.
 */
export function planRegistrations(
  all: readonly Registered[],
  wanted: WantedRegistrations,
): Registration[] {
  const isOurs = ({ urls }: Registered): boolean =>
    urls.length > 0 && urls.every(url => isOfStore(url, wanted.publicUrl, wanted.store))
  const foreign = all.filter(one => !isOurs(one)).map(one => asIs(one, 'foreign'))
  return [...planOurs(all.filter(isOurs), wanted), ...foreign]
}

function planOurs(
  ours: readonly Registered[],
  { url, types }: WantedRegistrations,
): Registration[] {
  if (url === undefined) return ours.map(one => asIs(one, 'removed'))
  const isRight = ({ urls }: Registered): boolean => urls.every(one => one === url)
  const ofAll = ours.find(one => one.type === undefined && isRight(one))
  const used = new Map<Registered, Registration>()
  if (ofAll !== undefined) used.set(ofAll, asIs(ofAll, 'kept'))
  const missing: Registration[] = []
  for (const type of ofAll === undefined ? types : []) {
    const ofType = ours.filter(one => one.type === type)
    const right = ofType.find(isRight)
    const [first] = ofType
    if (right !== undefined) used.set(right, asIs(right, 'kept'))
    else if (first !== undefined) used.set(first, { id: first.id, type, url, state: 'changed' })
    else missing.push({ type, url, state: 'created' })
  }
  return [...ours.map(one => used.get(one) ?? asIs(one, 'removed')), ...missing]
}

const asIs = ({ id, type, urls }: Registered, state: RegistrationState): Registration => ({
  id,
  ...(type === undefined ? {} : { type }),
  url: urls[0] ?? '',
  state,
})
