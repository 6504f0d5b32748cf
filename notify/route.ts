import type { Alarm } from '../standing/alarms.ts'
import type { Channel, NotifySettings } from './settings.ts'

/**
 * What of some things a channel is told: what a route sends there, and what no route names. Nobody
 * is told of a channel that cannot be reached through that channel. Pure.
 */
export const thingsFor = (
  { routes }: Pick<NotifySettings, 'routes'>,
  { id }: Pick<Channel, 'id'>,
  things: readonly Alarm[],
): Alarm[] =>
  things.filter(thing => {
    if (thing.kind === 'delivery_failed' && thing.object === id) return false
    const named = routes.filter(
      ({ kinds, stores }) =>
        (kinds?.includes(thing.kind) ?? true) &&
        (stores === undefined || (thing.store !== null && stores.includes(thing.store))),
    )
    return named.length === 0 || named.some(({ to }) => to.includes(id))
  })
