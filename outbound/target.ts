import { TillageError } from '../errors.ts'

/** Whom a plan is for: where a store is reached, and the company and shop that answer there. */
export interface Target {
  baseUrl: string
  /** Null where the API does not say. */
  companyId: string | null
  shopId: string | null
}

/** Of a store at this address, by what the API says of itself. */
export const targetOf = (
  { baseUrl }: { baseUrl: string },
  { companyId, shopId }: { companyId?: string | undefined; shopId?: string | undefined },
): Target => ({ baseUrl, companyId: companyId ?? null, shopId: shopId ?? null })

const NAMES = { baseUrl: 'address', companyId: 'company', shopId: 'shop' } as const
const FIELDS = Object.keys(NAMES) as (keyof Target)[]

/** Another server may have the same ids, and be another company's: nothing is sent there. */
export function refuseOtherTarget(
  { plan, store }: { plan: string; store: string },
  planned: Target,
  now: Target,
): void {
  const changed = FIELDS.filter(field => planned[field] !== now[field])
  if (changed.length === 0) return
  const said = changed.map(
    field =>
      `${NAMES[field]} ${planned[field] ?? 'unknown'}, and now it is ${now[field] ?? 'unknown'}`,
  )
  throw new TillageError(
    'OTHER_TARGET',
    `${plan} was planned for ${store} with ${said.join('; ')}`,
    {
      remedy:
        'Nothing was sent to it. Put back the address and the keys of the store in tillage.yaml, ' +
        'or make a new plan.',
    },
  )
}
