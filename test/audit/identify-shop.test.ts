import { expect, it, onTestFinished } from 'vitest'
import { identifyShop } from '../../audit/identify-shop.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { governorAlone } from '../helpers/governor.ts'
import { serve } from '../reading/list-server.ts'

/** Asks a server that gives this answer to every request. */
async function identified(status: number, answer: object, zone?: string) {
  const baseUrl = await serve((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' })
  onTestFinished(() => client.close())
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  const { signal } = new AbortController()
  return identifyShop(openStoreApi({ id: 'downtown', client, governor }, signal), zone, signal)
}

it('a shop whose zone nobody says is refused, with what the API answered where that was a refusal', async () => {
  const code = 'STORE_UNKNOWN'
  const unknown = 'the API does not say in which time zone downtown is'
  await expect(identified(200, { shop: { id: 's' } })).rejects.toMatchObject({
    code,
    message: unknown,
  })
  await expect(identified(404, { message: 'none' })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(/downtown is: GET .*store of .* answered 404/) as string,
    remedy: expect.stringContaining('If it refuses this alone: Write timeZone:') as string,
  })
})

it('a zone of the configuration is enough where the API refuses, and stands above its own', async () => {
  const zone = 'America/Denver'
  expect(await identified(404, {}, zone)).toMatchObject({ timeZone: zone, shopId: undefined })
  const shop = { id: 's', timeZone: 'America/Chicago' }
  expect(await identified(200, { shop }, zone)).toMatchObject({ timeZone: zone, shopId: 's' })
  expect(await identified(200, { shop })).toMatchObject({ timeZone: 'America/Chicago' })
  await expect(identified(401, {}, zone)).rejects.toMatchObject({ code: 'PARTNER_KEYS' })
})
