import { TillageError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'
import type { OrderKind, Orders } from './orders.ts'

/** Fails where the store, or the schedule, is not in the configuration any more. */
export function orderOf<Kind extends OrderKind>(
  dependencies: Pick<Dependencies, 'store' | 'findOrder'>,
  kind: Kind,
  store: string,
): Orders[Kind] {
  dependencies.store(store)
  const order = dependencies.findOrder(kind, store)
  if (order === undefined)
    throw new TillageError('NOT_ALLOWED', `tillage.yaml has no ${kind} for ${store}`, {
      remedy: 'Add it there if you want it; otherwise tillage schedule apply removes its schedule.',
    })
  return order
}

/** Of a push, how many files; of which path is not for histories. */
export const countPushFiles = (
  dependencies: Dependencies,
  { store }: { store: string },
): Promise<{ files: number }> =>
  Promise.resolve({ files: orderOf(dependencies, 'push', store).files.length })
