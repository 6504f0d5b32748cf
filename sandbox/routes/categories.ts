import { notFound } from '../api-error.ts'
import type { Route } from './route.ts'
import { get } from './route.ts'

/** `{values}`: the complete list, no pagination (Categories). */
export const categoryRoutes: readonly Route[] = [
  get('/api/v1/partner/category', (call) => `{"values":[${[...call.world.categories.values()].join(',')}]}`),
  get('/api/v1/partner/category/:id', (call) => {
    const text = call.world.categories.get(call.params['id']!)
    if (text === undefined) throw notFound('id', 'There is no such category')
    return text
  }),
]
