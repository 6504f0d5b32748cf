import { Outbox } from '../events/outbox.ts'
import type { Behaviour, ProfileName } from '../faults/profiles.ts'
import { combineProfiles } from '../faults/profiles.ts'
import { Faults } from '../faults/rules.ts'
import { RequestLog } from '../http/request-log.ts'
import type { Settings } from '../options.ts'
import type { PartnerKey, Shop } from '../seed/stores.ts'
import { makePartnerKeys } from '../seed/stores.ts'
import { ChangeLog } from './change-log.ts'
import { DataFile } from './data-file.ts'
import type { World } from './world.ts'
import { makeWorlds } from './world.ts'

/** Everything that one running sandbox knows. */
export class State {
  readonly settings: Settings
  readonly partnerKeys: readonly [PartnerKey, ...PartnerKey[]]
  readonly worlds: readonly World[]
  readonly byDeveloperKey: ReadonlyMap<string, World>
  readonly faults: Faults
  /** Every change of a record goes through it. */
  readonly changeLog: ChangeLog
  /** Events that webhooks are told about. */
  readonly outbox = new Outbox(this)
  readonly log = new RequestLog()
  behaviour: Behaviour
  requestNumber = 0
  private readonly pathNumbers = new Map<string, number>()

  constructor(wanted: Settings) {
    const file = wanted.data === undefined ? undefined : new DataFile(wanted.data, wanted)
    const settings = file?.settings ?? wanted
    this.settings = settings
    this.partnerKeys = makePartnerKeys(settings.seed)
    this.behaviour = combineProfiles(settings.profiles)
    this.worlds = makeWorlds(settings, () => this.behaviour.refundSign)
    this.byDeveloperKey = new Map(this.worlds.map(world => [world.shop.developerKey, world]))
    this.faults = new Faults(settings.seed)
    this.changeLog = new ChangeLog(file)
    for (const { shop, lists } of this.worlds) {
      file?.restore(shop.id, lists)
      for (const list of Object.values(lists)) this.changeLog.watch(shop.id, list)
    }
    this.requestNumber = file?.requestNumber ?? 0
    this.outbox.resume()
  }

  /**
   * The clock. With a fixed end of the data it stands there and moves on by a second with each
   * request.
   */
  nowMs(shop: Shop): number {
    return this.settings.until === undefined
      ? Date.now()
      : shop.timeline.endMs + this.requestNumber * 1000
  }

  /** How often this path was listed before, counting this time. */
  countPath(developerKey: string, path: string): number {
    const key = `${developerKey} ${path}`
    const before = this.pathNumbers.get(key) ?? 0
    this.pathNumbers.set(key, before + 1)
    return before
  }

  useProfiles(names: readonly ProfileName[]): void {
    this.behaviour = combineProfiles(names)
  }

  /** Back to how it started: records, faults, profiles, log and counters. */
  reset(): void {
    for (const world of this.worlds) for (const list of Object.values(world.lists)) list.reset()
    this.changeLog.clear()
    this.faults.clear()
    this.log.clear()
    void this.outbox.stop()
    this.pathNumbers.clear()
    this.requestNumber = 0
    this.useProfiles(this.settings.profiles)
  }
}
