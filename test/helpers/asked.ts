import type { LoggedRequest, RequestLog } from '../../sandbox/http/request-log.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { control } from './project.ts'

type Asked = ReturnType<RequestLog['read']>

/** What a sandbox has answered; a request that hangs is not among it before its client gives up. */
export const askedOf = async (sandbox: Sandbox): Promise<Asked> =>
  (await control(sandbox, 'GET', 'requests')) as Asked

/** How many requests a sandbox has answered. */
export const answeredBy = async (sandbox: Sandbox): Promise<number> =>
  (await askedOf(sandbox)).total

/** `PUT /api/...` and the like that a sandbox was sent, whatever it answered. */
export async function writesTo(sandbox: Sandbox): Promise<LoggedRequest[]> {
  const { requests } = await askedOf(sandbox)
  return requests.filter(({ method, path }) => method !== 'GET' && path.includes('/api/'))
}

/** When requests came, in milliseconds since 1970. */
export async function arrivalsAt(sandbox: Sandbox): Promise<number[]> {
  const { requests } = await askedOf(sandbox)
  return requests.map(({ at }) => at).toSorted((a, b) => a - b)
}

/** How many requests each rule for faults has met, in order of the rules; also ones that hang. */
export async function firedOf(sandbox: Sandbox): Promise<number[]> {
  const { faults } = (await control(sandbox, 'GET', 'faults')) as { faults: { fired: number }[] }
  return faults.map(({ fired }) => fired)
}
