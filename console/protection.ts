import type { IncomingHttpHeaders } from 'node:http'
import { isThisMachine } from '../this-machine.ts'

/** On every answer, whatever it is. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/**
 * By which addresses the console may be called: loopback alone is no protection, since the name of
 * any site can be made to point here (DNS rebinding).
 */
export function allowedOrigins(address: string, publicUrl: string | undefined): Set<string> {
  const { hostname, port } = new URL(`http://${address}`)
  const here = isThisMachine(hostname) ? [hostname, 'localhost', '127.0.0.1', '[::1]'] : []
  return new Set([
    ...here.map(host => new URL(`http://${host}:${port}`).origin),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
  ])
}

/** Whether `Host` is one of ours. */
export const isOurHost = (host: string | undefined, origins: ReadonlySet<string>): boolean =>
  host !== undefined && [...origins].some(origin => hostIs(host, origin))

function hostIs(host: string, origin: string): boolean {
  const { protocol, host: ours } = new URL(origin)
  return URL.parse(`${protocol}//${host}`)?.host === ours && !/[/?#@\\]/.test(host)
}

/**
 * Whether a form was sent from one of our own pages. Browsers send `Origin: null` with ours, since
 * our pages have no referrer (Fetch standard, "append a request Origin header"); `Sec-Fetch-Site`
 * says it then. A program sends neither, and has no page that somebody could have forged.
 */
export function isOurForm(headers: IncomingHttpHeaders, origins: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return true
  return origin === 'null' ? site === 'same-origin' : origins.has(origin)
}
