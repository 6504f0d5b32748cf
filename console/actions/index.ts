import type { Action } from './action.ts'
import { BOOKS } from './books.ts'
import { OPERATIONS } from './operations.ts'
import { PLANS } from './plans.ts'
import { STOCK } from './stock.ts'

/** Everything that can be decided on a page. */
export const ACTIONS: readonly Action[] = [...BOOKS, ...OPERATIONS, ...PLANS, ...STOCK]

/** One by its name, which stands in this folder: a page cannot name another. */
export function actionNamed(name: string): Action {
  const found = findAction(name)
  if (found === undefined) throw new Error(`there is no action ${name}`)
  return found
}

export const findAction = (name: string): Action | undefined =>
  ACTIONS.find(action => action.name === name)
