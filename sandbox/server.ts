import { buildApp } from './http/app.ts'
import { State } from './model/state.ts'
import type { SandboxOptions } from './options.ts'
import { readOptions } from './options.ts'

export type { SandboxOptions } from './options.ts'

export interface SandboxStore {
  id: string
  name: string
  timeZone: string
  companyId: string
  shopId: string
  developerKey: string
}

/**
 * What somebody needs to talk to a running sandbox; without `close`, it is the line that `sandbox
 * --json` prints.
 */
export interface Sandbox {
  baseUrl: string
  /** The first of `partnerKeys`, which may do everything. */
  partnerKey: string
  partnerKeys: { key: string; permissions: string[] }[]
  stores: SandboxStore[]
  close(): Promise<void>
}

/**
 * Starts the Partner Commerce API on this machine, as its documentation describes it; see
 * sandbox/README.md.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = readOptions(options)
  const state = new State(settings)
  const app = buildApp(state)
  const baseUrl = await app.listen({ port: settings.port, host: settings.host })
  return {
    baseUrl,
    partnerKey: state.partnerKeys[0].key,
    partnerKeys: state.partnerKeys.map(({ key, permissions }) => ({
      key,
      permissions: [...permissions],
    })),
    stores: state.worlds.map(
      ({ shop: { id, name, timeZone, companyId, shopId, developerKey } }) => ({
        id,
        name,
        timeZone,
        companyId,
        shopId,
        developerKey,
      }),
    ),
    close: async () => {
      await app.close()
      await state.outbox.stop()
      state.changeLog.close()
    },
  }
}
