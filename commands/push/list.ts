import type { Context } from '../command.ts'
import { listPushes, printPlans } from '../plans/list-plans.ts'
import { withPush } from './open-push.ts'

/** `tillage push list`: lists every plan, newest first, with its state. */
export const pushList = (
  { config, terminal }: Context,
  { store }: { store?: string },
): Promise<number> =>
  withPush(config, async ({ outbound }) =>
    printPlans(terminal, await listPushes({ config, outbound }, store)),
  )
