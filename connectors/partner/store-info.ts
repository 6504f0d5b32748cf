import { z } from 'zod'
import { isTimeZone } from '../../calendar/is-time-zone.ts'
import { PartnerError } from '../../errors.ts'
import { errorFieldsIn, isErrorItem } from './envelopes.ts'
import { NOT_API_REMEDY } from './refusal.ts'

/**
 * `GET /api/v1/partner/store` (StoreInfoResult). Fields of `shop` are not shown in the
 * documentation; all may be absent.
 */
const text = z.string().nullish()
/** A text in the documentation; a server that counts its shops may write the number. */
const id = z.union([z.string(), z.int().transform(String)]).nullish()
const shopInfo = z.object({
  id,
  companyId: id,
  name: text,
  timeZone: text,
  license: text,
})
const storeInfo = z.object({ shop: shopInfo.nullish() }).and(shopInfo.partial())

export const STORE_PATH = '/api/v1/partner/store'

/** Who a developer key stands for, as far as the API says it. */
export interface StoreInfo {
  companyId?: string | undefined
  shopId?: string | undefined
  name?: string | undefined
  license?: string | undefined
  /** Only if it is a zone that exists; some stores carry a placeholder. */
  timeZone?: string | undefined
}

/**
 * Reads the answer of `GET /api/v1/partner/store`. Anything else than a store is an error (INV-4).
 */
export function parseStoreInfo(body: string): StoreInfo {
  const answer = parseJson(body)
  refuseError(answer)
  const parsed = storeInfo.safeParse(answer)
  if (!parsed.success)
    throw new PartnerError(
      'PARTNER_NOT_API',
      `GET ${STORE_PATH} answered something other than the store`,
      { remedy: NOT_API_REMEDY },
    )
  const shop = parsed.data.shop ?? parsed.data
  const zone = shop.timeZone ?? undefined
  return {
    companyId: shop.companyId ?? undefined,
    shopId: shop.id ?? undefined,
    name: shop.name ?? undefined,
    license: shop.license ?? undefined,
    timeZone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
  }
}

function refuseError(answer: unknown): void {
  const fields = errorFieldsIn(answer)
  if (fields === undefined || !isErrorItem(fields)) return
  throw new PartnerError(
    'PARTNER_ERROR_BODY',
    `GET ${STORE_PATH} answered an error body under status 200`,
  )
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    const what = /^\s*</.test(body) ? 'an HTML page' : 'no JSON'
    throw new PartnerError(
      'PARTNER_NOT_API',
      `GET ${STORE_PATH} answered ${what} under status 200`,
      { cause, remedy: NOT_API_REMEDY },
    )
  }
}
