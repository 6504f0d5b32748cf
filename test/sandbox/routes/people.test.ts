import { beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { ask, askJson, keysOf, sandboxWith, send } from '../asking.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWith({ transactionsPerDay: 2, days: 3 })
})

async function sends(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: Row }> {
  const answer = await send(sandbox, method, path, body)
  return { status: answer.status, json: (answer.text === '' ? {} : JSON.parse(answer.text)) as Row }
}

const refusal = (status: number, field: string): object => ({
  status,
  json: { field, message: expect.any(String) as unknown, errorType: expect.any(String) as unknown },
})

describe('members', () => {
  it('are told apart by email and phone number, whatever they look like; not by anything else', async () => {
    const { json: ada } = await sends('POST', '/members', {
      firstName: 'Ada',
      lastName: 'Twin',
      email: 'ada.twin@mail.example',
      primaryPhone: '+1 (555) 010-9999',
    })
    expect(ada).toMatchObject({
      status: 'Inactive',
      consumerType: 'AdultUse',
      textOptIn: true,
      emailOptIn: true,
      enableLoyalty: false,
      anonymous: false,
    })
    expect(
      await sends('POST', '/members', {
        firstName: 'B',
        lastName: 'C',
        email: ' ADA.twin@mail.example',
      }),
    ).toEqual(refusal(400, 'email'))
    expect(
      await sends('POST', '/members', {
        firstName: 'B',
        lastName: 'C',
        primaryPhone: '5550109999',
      }),
    ).toEqual(refusal(400, 'primaryPhone'))
    expect((await sends('POST', '/members', { firstName: 'Ada', lastName: 'Twin' })).status).toBe(
      200,
    )
    const seeded = (await askJson<{ values: Row[] }>(sandbox, '/members/days?days=3')).values.find(
      row =>
        row['deleted'] === false &&
        row['mergedIntoMemberId'] === undefined &&
        row['email'] !== undefined &&
        row.id !== ada.id,
    )!
    expect(
      await sends('POST', '/members', { firstName: 'B', lastName: 'C', email: seeded['email'] }),
    ).toEqual(refusal(400, 'email'))
    expect(await sends('PUT', `/members/${ada.id}`, { ...ada, email: seeded['email'] })).toEqual(
      refusal(400, 'email'),
    )
    expect(await sends('PUT', `/members/${ada.id}`, { ...ada, nickname: 'Adi' })).toMatchObject({
      status: 200,
      json: { nickname: 'Adi', email: ada['email'] },
    })
    expect(await sends('POST', '/members', { firstName: 'Ada' })).toEqual(refusal(400, 'lastName'))
  })

  it('are found by licence, birthday, phone number and email, in their own store', async () => {
    const member = (await askJson<{ values: Row[] }>(sandbox, '/members/days?days=3')).values.find(
      row => row['deleted'] === false && (row['identifications'] as Row[]).length > 0,
    )!
    const [card] = member['identifications'] as Row[]
    const phone = encodeURIComponent(member['primaryPhone'] as string)
    for (const path of [
      `/members/search?licenseNumber=${card!['licenseNumber'] as string}`,
      `/members/search/dob?dob=${member['dob'] as number}`,
      `/members/search/phone?phone=${phone}`,
    ]) {
      expect(
        (await askJson<{ values: Row[] }>(sandbox, path)).values.map(row => row.id),
        path,
      ).toContain(member.id)
    }
    expect((await askJson<Row>(sandbox, `/members/email/${member['email'] as string}`)).id).toBe(
      member.id,
    )
    expect(
      (await askJson<{ values: Row[] }>(sandbox, `/members/search/phone?phone=${phone}`, 1)).values,
    ).toEqual([])
    for (const path of [
      '/members/search',
      '/members/search/dob?dob=today',
      '/members/search/phone',
    ])
      expect((await ask(sandbox, path)).status, path).toBe(400)
    expect(await askJson(sandbox, `/members/${member.id}/limits/remaining`)).toMatchObject({
      memberId: member.id,
      flower: expect.any(Number) as unknown,
    })
    const label = await fetch(
      `${sandbox.baseUrl}/api/v1/partner/members/referral-qr/${member.id}`,
      { headers: keysOf(sandbox) },
    )
    expect([
      label.headers.get('content-type'),
      Buffer.from(await label.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ]).toEqual(['image/png', 'PNG'])
  })
})

describe('loyalty', () => {
  it('keeps names and codes of promotions apart, and frees them when one is deleted', async () => {
    const { json: made } = await sends('POST', '/loyalty/promotions', {
      name: 'Rainy Day',
      promocode: 'RAIN',
      promoCodes: ['WET'],
    })
    expect(made).toMatchObject({
      active: true,
      stackable: true,
      version: 'V1',
      consumerFacing: true,
      promotionType: 'Cart',
    })
    expect(await sends('POST', '/loyalty/promotions', { name: 'rainy day' })).toEqual(
      refusal(400, 'name'),
    )
    expect(
      await sends('POST', '/loyalty/promotions', { name: 'Other', promoCodes: ['wet'] }),
    ).toEqual(refusal(400, 'promocode'))
    expect(await sends('POST', '/loyalty/promotions', { promocode: 'X' })).toEqual(
      refusal(400, 'name'),
    )
    expect(
      await sends('POST', '/loyalty/promotions', { name: 'Tills', salesChannels: ['Retail'] }),
    ).toMatchObject({ status: 200, json: { consumerFacing: false } })
    expect(
      await sends('PUT', `/loyalty/promotions/${made.id}`, { ...made, name: 'Sunny Day' }),
    ).toMatchObject({ status: 200 })
    expect(await sends('DELETE', `/loyalty/promotions/${made.id}`)).toEqual({
      status: 200,
      json: {},
    })
    expect((await ask(sandbox, `/loyalty/promotions/${made.id}`)).status).toBe(404)
    expect(
      (await sends('POST', '/loyalty/promotions', { name: 'Sunny Day', promocode: 'RAIN' })).status,
    ).toBe(200)
  })

  it('lists rewards by points, and changes points of one member or several, all or none', async () => {
    const { values } = await askJson<{ values: Row[] }>(sandbox, '/loyalty/rewards')
    const points = values.map(row => row['points'] as number)
    expect(points.length).toBeGreaterThan(3)
    expect(points).toEqual(points.toSorted((a, b) => a - b))
    const [a, b] = [
      (await sends('POST', '/members', { firstName: 'A', lastName: 'P' })).json.id,
      (await sends('POST', '/members', { firstName: 'B', lastName: 'P' })).json.id,
    ]
    expect(
      await sends('POST', '/loyalty/points', [
        { memberId: a, points: 120 },
        { memberId: b, points: -1 },
      ]),
    ).toEqual(refusal(400, 'points'))
    expect(
      await sends('POST', '/loyalty/points', [
        { memberId: a, points: 120 },
        { memberId: b, points: 3 },
      ]),
    ).toMatchObject({ status: 200, json: [{ loyaltyPoints: 120 }, { loyaltyPoints: 3 }] })
    expect(await askJson(sandbox, `/loyalty/activity?memberId=${a}`)).toEqual(
      await askJson(sandbox, `/loyalty/loyalty/activity?memberId=${a}`),
    )
    expect(
      (await askJson<{ values: Row[] }>(sandbox, `/loyalty/rewards/members/${a}`)).values.length,
    ).toBe(points.filter(cost => cost <= 120).length)
  })
})

it('keeps photos of a consumer for that consumer', async () => {
  const { json: consumer } = await sends('POST', '/user/register', {
    email: 'p@mail.example',
    firstName: 'P',
    lastName: 'Q',
    phoneNumber: '555 020 1111',
  })
  const { json: other } = await sends('POST', '/user/register', {
    email: 'o@mail.example',
    firstName: 'O',
    lastName: 'Q',
  })
  expect(
    await sends('POST', '/user/register', {
      email: 'P@mail.example',
      firstName: 'P',
      lastName: 'Q',
    }),
  ).toEqual(refusal(400, 'email'))
  expect(await askJson(sandbox, '/user/find?phoneNumber=15550201111')).toMatchObject({
    id: consumer.id,
  })
  const form = new FormData()
  form.set('name', 'Licence')
  form.set('file', new Blob(['photo'], { type: 'image/png' }), 'licence.png')
  const uploaded = await fetch(
    `${sandbox.baseUrl}/api/v1/partner/store/user/dlPhoto?cuid=${consumer.id}`,
    { method: 'POST', headers: keysOf(sandbox), body: form },
  )
  const { dlPhoto } = (await uploaded.json()) as { dlPhoto: { key: string } }
  const got = await ask(sandbox, `/store/user/assets/${dlPhoto.key}`, {
    headers: { ...keysOf(sandbox), cuid: consumer.id },
  })
  expect([got.text, got.headers.get('content-type')]).toEqual(['photo', 'image/png'])
  expect((await ask(sandbox, `/store/user/assets/${dlPhoto.key}?cuid=${other.id}`)).status).toBe(
    404,
  )
})

it('loads and checks payment cards, and settles ACH transactions once', async () => {
  expect(
    await sends('POST', '/payments/load', { cardNumber: '60101234', amount: 25.5 }),
  ).toMatchObject({ status: 200, json: { balance: 25.5, cardNumber: '****1234' } })
  expect(
    await sends('POST', '/payments/load', { cardNumber: '60101234', amount: 4.5 }),
  ).toMatchObject({ json: { balance: 30 } })
  expect(await sends('POST', '/payments/balance', { cardNumber: '60101234' })).toMatchObject({
    json: { balance: 30 },
  })
  expect(await sends('POST', '/payments/balance', { cardNumber: '99999999' })).toEqual(
    refusal(404, 'cardNumber'),
  )
  const ach = async (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${sandbox.baseUrl}/api/v1/mgmt/ach${path}`, {
      method,
      headers: {
        ...keysOf(sandbox),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const lines = (
    await (
      await fetch(
        `${sandbox.baseUrl}/_control/records?store=downtown&stream=ach_transactions&full=1`,
      )
    ).text()
  )
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Row)
  const [first, second] = lines.filter(row => row['status'] === 'PENDING')
  const status = async (path: string): Promise<number> => (await ach('POST', path)).status
  expect([
    await status(`/transaction/${first!.id}/capture`),
    await status(`/transaction/${first!.id}/denied`),
    await status(`/transaction/${second!.id}/denied`),
  ]).toEqual([200, 400, 200])
  expect(
    (await ach('POST', '/shopachaccount', { name: 'Mine', shopId: sandbox.stores[1]!.shopId }))
      .status,
  ).toBe(403)
  const made = (await (await ach('POST', '/shopachaccount', { name: 'Mine' })).json()) as Row
  expect((await ach('DELETE', `/shopachaccount/${made.id}`)).status).toBe(200)
  const page = await fetch(`${sandbox.baseUrl}/api/v1/mgmt/ach/webhooks/ext?charge_id=<script>`)
  expect([
    page.status,
    page.headers.get('content-type'),
    (await page.text()).includes('script'),
  ]).toEqual([200, 'text/html; charset=utf-8', false])
})
