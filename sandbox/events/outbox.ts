import type { Behaviour } from '../faults/profiles.ts'
import type { ChangeLog } from '../model/change-log.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'
import type { Settings } from '../options.ts'
import { fraction, mix } from '../values/random.ts'
import type { Attempt } from './deliveries.ts'
import { Deliveries } from './deliveries.ts'
import type { Event } from './event.ts'
import { targetsOf } from './event.ts'

/** How far events overtake each other on request. */
const SHUFFLE_MS = 1000

/** What events need of the sandbox, as it is at the moment when it is asked for. */
export interface EventContext {
  readonly settings: Settings
  readonly behaviour: Behaviour
  readonly worlds: readonly World[]
  readonly changeLog: ChangeLog
  readonly requestNumber: number
}

/**
 * Events between the operation that caused them and the receiver's acknowledgement. They are kept
 * with the operation, in one transaction, so that a sandbox that is killed and started again with
 * its file delivers what it still owes.
 */
export class Outbox {
  private readonly sandbox: EventContext
  private deliveries = new Deliveries()

  constructor(sandbox: EventContext) {
    this.sandbox = sandbox
  }

  /** Inside the operation: writes down who is to be told. Returns the numbers to send. */
  put({ lists }: World, events: readonly Event[], nowMs: number): number[] {
    if (events.length === 0) return []
    const webHooks = [...lists.webhooks.all()]
    return events.flatMap(event =>
      webHooks.flatMap(webHook =>
        targetsOf(webHook, event.webHookType).map(url => {
          const number = lists.deliveries.nextNumber
          lists.deliveries.insert({ webHookId: webHook['id'], url, event }, nowMs)
          return number
        }),
      ),
    )
  }

  /** After the operation: returns at once. What was delivered or given up is no longer kept. */
  send(world: World, numbers: Iterable<number>): void {
    const { deliveries, sandbox } = this
    const { settings, behaviour, changeLog } = sandbox
    const list = world.lists.deliveries
    for (const number of numbers) {
      const { webHookId, url, event } = list.read(number) as JsonRecord & {
        webHookId: string
        url: string
        event: Event
      }
      const parcels = Array.from({ length: behaviour.eventCopies }, (_, copy) =>
        deliveries.send({
          store: world.shop.id,
          webHookId,
          url,
          event,
          delayMs: behaviour.eventsShuffled
            ? Math.floor(fraction(mix(settings.seed ^ copy, number)) * SHUFFLE_MS)
            : 0,
        }),
      )
      void Promise.all(parcels).then(done => {
        if (done.every(Boolean) && deliveries === this.deliveries)
          changeLog.run(sandbox.requestNumber, () => {
            list.set(number, undefined)
          })
      })
    }
  }

  /** What an earlier process still owed. */
  resume(): void {
    for (const world of this.sandbox.worlds)
      this.send(world, world.lists.deliveries.order.slice(0, world.lists.deliveries.order.length))
  }

  read(store: string | undefined): readonly Attempt[] {
    return this.deliveries.read(store)
  }

  /**
   * Forgets the log and what is under way: nothing of it is posted after this. What is kept stays
   * kept.
   */
  stop(): Promise<void> {
    const { deliveries } = this
    this.deliveries = new Deliveries()
    return deliveries.close()
  }
}
