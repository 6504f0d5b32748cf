import { z } from 'zod'

/** `HOST:PORT` of this machine; port 0 takes any that is free. */
export interface ListenAddress {
  host: string
  port: number
}

/** Of whatever this program serves: `127.0.0.1:8750`, `[::1]:8750`, `0.0.0.0:8750`. */
export const listenAddress = z
  .string()
  .refine(text => parseListen(text) !== undefined, {
    error: 'must be an address and a port of this machine, like 127.0.0.1:8750',
  })
  .transform(text => parseListen(text)!)

function parseListen(text: string): ListenAddress | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) return undefined
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port }
}
