import type { RequestListener } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerClient, PartnerCredentials } from '../../../connectors/partner/client.ts'
import { PartnerError } from '../../../errors.ts'
import { serve } from '../../reading/list-server.ts'

export const PARTNER_KEY = 'partner-key-4711'
export const DEVELOPER_KEY = 'developer/key+0815'

export async function clientOf(
  listener: RequestListener,
  options: { path?: string; timeoutMs?: number; limits?: PartnerCredentials['limits'] } = {},
): Promise<PartnerClient> {
  const baseUrl = `${await serve(listener)}${options.path ?? ''}`
  const client = createPartnerClient(
    {
      baseUrl,
      partnerKey: PARTNER_KEY,
      developerKey: DEVELOPER_KEY,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    },
    options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs },
  )
  onTestFinished(() => client.close())
  return client
}

export const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

export async function failureOf(
  listener: RequestListener,
  options: { timeoutMs?: number } = {},
): Promise<PartnerError> {
  const error: unknown = await (
    await clientOf(listener, options)
  )
    .get('/api/v1/partner/members', { skip: '0' })
    .catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(PartnerError)
  return error as PartnerError
}
