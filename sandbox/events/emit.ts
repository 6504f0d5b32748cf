import type { WebHookType } from '../../connectors/partner/contract/operation.ts'
import type { Collection } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'

/** What is being done to a store, by an operation or a control route. */
export type ActionContext = Pick<Call, 'world' | 'nowMs' | 'events'>

/**
 * Says that an operation did something to a record. It is told to whoever registered for it once
 * the operation has happened.
 */
export function emit(
  call: ActionContext,
  webHookType: WebHookType,
  collection: Collection,
  id: string,
): void {
  const number = collection.find(id)
  if (number !== undefined)
    call.events.push({
      webHookType,
      id,
      shopId: call.world.shop.shopId,
      modified: collection.modifiedOf(number),
    })
}
