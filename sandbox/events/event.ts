import type { WebHookType } from '../../connectors/partner/contract/operation.ts'
import type { JsonRecord } from '../model/collection.ts'

/**
 * What is posted to a partner. The documentation shows no payload: a reading. It names a record and
 * holds nothing of it.
 */
export interface Event {
  webHookType: WebHookType
  id: string
  shopId: string
  modified: number
}

/**
 * Where one registration wants an event: every address it names, once. A registration without a
 * type is for all types (a reading).
 */
export function targetsOf(webHook: JsonRecord, type: WebHookType): string[] {
  const wanted = webHook['webHookType']
  if (webHook['deleted'] === true || (typeof wanted === 'string' && wanted !== type)) return []
  const { webHookUrls, url } = webHook
  return [...new Set([...(Array.isArray(webHookUrls) ? webHookUrls : []), url])].filter(
    (target): target is string => typeof target === 'string' && isTarget(target),
  )
}

/**
 * "HTTPS URLs are expected" (Events, rule 5); plain http only to
 * this machine, so that receivers can be tried.
 */
export function isTarget(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}
