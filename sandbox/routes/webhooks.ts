import { WEBHOOK_TYPES } from '../../connectors/partner/contract/operation.ts'
import { isTarget } from '../events/event.ts'
import { ApiError, invalid } from '../http/api-error.ts'
import { EVERYTHING, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, replaceWhole, softDelete } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { list } from './route.ts'

const numberOf = (call: Call, parameter: string): number =>
  findNumber(call.world.lists.webhooks, call.params[parameter]!, parameter, true)

/**
 * Refuses what cannot be delivered to: no addresses, an unknown type, another shop, anything but
 * https or this machine.
 */
function check({ world }: Call, webHook: JsonRecord): void {
  const { webHookUrls, url, webHookType, shopId } = webHook
  if (!Array.isArray(webHookUrls) || webHookUrls.length === 0)
    throw invalid('webHookUrls', 'webHookUrls is required')
  const targets: unknown[] = isGiven(url) ? [...(webHookUrls as unknown[]), url] : webHookUrls
  if (!targets.every(target => typeof target === 'string' && isTarget(target)))
    throw invalid('webHookUrls', 'Each URL must be https, or http to this machine')
  const types: readonly unknown[] = [...WEBHOOK_TYPES, undefined, null]
  if (!types.includes(webHookType))
    throw invalid('webHookType', `webHookType must be one of ${WEBHOOK_TYPES.join(', ')}`)
  if (typeof shopId === 'string' && shopId !== '' && shopId !== world.shop.shopId)
    throw new ApiError(403, 'shopId', 'shopId is not the one of the developer key')
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

export const webHookRoutes: readonly Route[] = [
  play('createWebHook', call => {
    check(call, call.body)
    return create(call.world.lists.webhooks, call.exact, call.nowMs)
  }),
  play('createStoreWebHooks', call => {
    for (const webHook of call.items) check(call, webHook)
    const { webhooks } = call.world.lists
    const created = call.items.map(webHook => create(webhooks, webHook, call.nowMs))
    return `[${created.join(',')}]`
  }),
  play('updateWebHook', call => {
    const number = numberOf(call, 'webHookId')
    check(call, call.body)
    return replaceWhole(call.world.lists.webhooks, number, call.exact, call.nowMs)
  }),
  play('getWebHook', call => call.world.lists.webhooks.text(numberOf(call, 'webHookId'))),
  play('listWebHooks', call => {
    const [shopId, type] = [readText(call.query, 'shopId'), readText(call.query, 'webHookType')]
    return list(call, {
      collection: call.world.lists.webhooks,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: webHook =>
        webHook['deleted'] !== true &&
        (shopId === undefined || webHook['shopId'] === shopId) &&
        (type === undefined || webHook['webHookType'] === type),
    })
  }),
  play('deleteWebHook', call =>
    softDelete(call.world.lists.webhooks, numberOf(call, 'id'), call.nowMs),
  ),
]
