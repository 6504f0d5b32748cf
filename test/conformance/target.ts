import { createPartnerClient } from '../../connectors/partner/client.ts'
import type { PartnerClient } from '../../connectors/partner/client.ts'
import type { PartnerAnswer, PartnerRequest } from '../../connectors/partner/request.ts'
import type { Sandbox } from '../../sandbox/server.ts'

/** An API that is asked: a sandbox, or the one that the environment names. */
export interface Target {
  partnerKey: string
  developerKey: string
  client: PartnerClient
  /** Around when its data ends. */
  nowMs: number
}

export const targetAt = (
  baseUrl: string,
  partnerKey: string,
  developerKey: string,
  nowMs = Date.now(),
): Target => ({
  partnerKey,
  developerKey,
  client: createPartnerClient({ baseUrl, partnerKey, developerKey }),
  nowMs,
})

export const targetOf = (sandbox: Sandbox, nowMs: number): Target =>
  targetAt(sandbox.baseUrl, sandbox.partnerKey, sandbox.stores[0]!.developerKey, nowMs)

/**
 * The real API, if somebody asks for it: `PARTNER_BASE_URL`, `PARTNER_KEY`, `DEVELOPER_KEY`. It is
 * only ever read.
 */
export function realTarget({
  PARTNER_BASE_URL,
  PARTNER_KEY,
  DEVELOPER_KEY,
}: NodeJS.ProcessEnv): Target | undefined {
  if (PARTNER_BASE_URL === undefined || PARTNER_BASE_URL === '') return undefined
  if (PARTNER_KEY === undefined || DEVELOPER_KEY === undefined)
    throw new Error('PARTNER_BASE_URL is set: set PARTNER_KEY and DEVELOPER_KEY too')
  return targetAt(PARTNER_BASE_URL, PARTNER_KEY, DEVELOPER_KEY)
}

/** A request with other credentials than the target's, or with none. */
export const sendAs = (
  { client }: Target,
  request: PartnerRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<PartnerAnswer> =>
  client.send({ ...request, anonymous: true, headers: { ...request.headers, ...headers } })
