import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import { startSandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { ask, askJson, control, everything, sandboxWith, send, truth } from '../asking.ts'

const fresh = (): string => join(mkdtempSync(join(tmpdir(), 'tillage-sandbox-')), 'sandbox.db')

describe('bodies', () => {
  it.each([
    ['no JSON', '{"name":', 400],
    ['nothing', '', 400],
    ['a list where an object belongs', '[]', 400],
    ['a text where an object belongs', '"name"', 400],
    ['too deep a nest', `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400],
    ['another kind of value', '{"name":12}', 400],
  ])('refuses %s with an error body', async (_what, body, status) => {
    const sandbox = await sandboxWith({ transactionsPerDay: 1 })
    const answer = await send(sandbox, 'POST', '/category', body)
    expect(answer.status).toBe(status)
    expect(Object.keys(JSON.parse(answer.text) as object)).toEqual([
      'field',
      'message',
      'errorType',
    ])
  })

  it('refuses what is not JSON by its type, and a form without a boundary', async () => {
    const sandbox = await sandboxWith({ transactionsPerDay: 1 })
    expect(
      (await send(sandbox, 'POST', '/category', 'name=x', 'application/x-www-form-urlencoded'))
        .status,
    ).toBe(415)
    expect((await send(sandbox, 'POST', '/category', 'name=x', 'multipart/form-data')).status).toBe(
      400,
    )
    expect(
      (await send(sandbox, 'POST', '/category', 'name=x', 'multipart/form-data; boundary=b'))
        .status,
    ).toBe(400)
  })

  it('names the field that is missing, and takes a slash at the end', async () => {
    const sandbox = await sandboxWith({ transactionsPerDay: 1 })
    const answer = await send(sandbox, 'POST', '/category/', {})
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      { field: 'name', message: 'name is required', errorType: expect.any(String) as unknown },
    ])
  })
})

describe('state', () => {
  it('keeps the digits of numbers, fills in documented defaults, and ignores fields of the server', async () => {
    const sandbox = await sandboxWith({ transactionsPerDay: 1 })
    const answer = await send(
      sandbox,
      'POST',
      '/category',
      '{"name":"Seeds","lowThreshold":1.50,"id":"mine","companyId":"theirs","created":1}',
    )
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('"lowThreshold":1.50')
    const made = JSON.parse(answer.text) as Row
    expect(made).toMatchObject({
      name: 'Seeds',
      active: true,
      companyId: sandbox.stores[0]!.companyId,
      deleted: false,
    })
    expect(made.id).not.toBe('mine')
    expect(await askJson(sandbox, `/category/${made.id}`)).toEqual(made)
    expect((await ask(sandbox, `/category/${made.id}`, { store: 1 })).status).toBe(404)
  })

  it('comes back from its file, whatever kind of change it was, and with a later clock', async () => {
    const data = fresh()
    const options = { until: '2026-03-15', days: 3, transactionsPerDay: 5, data }
    const first = await startSandbox(options)
    const made = JSON.parse((await send(first, 'POST', '/category', { name: 'Seeds' })).text) as Row
    const [one, two] = await truth(first, 'vendors')
    await control(first, 'POST', '/records', {
      store: 'downtown',
      stream: 'vendors',
      op: 'edit',
      id: one!.id,
      patch: { name: 'Neu' },
    })
    await control(first, 'POST', '/records', {
      store: 'downtown',
      stream: 'vendors',
      op: 'delete',
      id: two!.id,
    })
    const before = [
      await truth(first, 'vendors', '&full=1'),
      await truth(first, 'categories', '&full=1'),
    ]
    await first.close()
    const second = await startSandbox(options)
    expect([
      await truth(second, 'vendors', '&full=1'),
      await truth(second, 'categories', '&full=1'),
    ]).toEqual(before)
    const next = JSON.parse(
      (await send(second, 'POST', '/category', { name: 'Clones' })).text,
    ) as Row
    expect(next.id > made.id && next.modified > made.modified).toBe(true)
    await control(second, 'POST', '/reset')
    await second.close()
    const third = await startSandbox(options)
    expect((await ask(third, `/category/${made.id}`)).status).toBe(404)
    await third.close()
    await expect(startSandbox({ ...options, seed: 2 })).rejects.toThrow(
      'was begun with seed 1, not 2',
    )
  })

  it('loses nothing that was answered when it is killed', async () => {
    const data = fresh()
    const start = async (): Promise<{ sandbox: Sandbox; kill: () => Promise<unknown> }> => {
      const child = spawn(
        process.execPath,
        [
          new URL('../../../sandbox/main.ts', import.meta.url).pathname,
          '--until',
          '2026-03-15',
          '--days',
          '3',
          '--transactions-per-day',
          '5',
          '--data',
          data,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      const kill = async (): Promise<unknown> => {
        child.kill('SIGKILL')
        return once(child, 'exit')
      }
      return { sandbox: JSON.parse(line) as Sandbox, kill }
    }
    const first = await start()
    const made = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, at) =>
          JSON.parse(
            (await send(first.sandbox, 'POST', '/category', { name: `Shelf ${at}` })).text,
          ) as Row,
      ),
    )
    await first.kill()
    const second = await start()
    const known = await askJson<{ values: Row[] }>(second.sandbox, '/category')
    for (const category of made) expect(known.values).toContainEqual(category)
    await second.kill()
  })

  it('shows nothing of one store to another, in any list', async () => {
    const sandbox = await sandboxWith({ transactionsPerDay: 3 })
    const lists = [
      'transactions',
      'batches',
      'members',
      'purchase_orders',
      'products',
      'vendors',
      'categories',
      'brands',
      'batch_quantities',
      'inventories',
      'terminals',
      'employees',
      'regions',
      'doctors',
      'taxes',
      'company_contacts',
      'promotions',
      'rewards',
      'loyalty_activity',
    ]
    for (const name of lists) {
      const [here, there] = await Promise.all([
        truth(sandbox, name, '&full=1', 0),
        truth(sandbox, name, '&full=1', 1),
      ])
      expect([name, here.length > 2]).toEqual([name, true])
      const theirs = new Set(there.map(({ id }) => id))
      expect(
        here.filter(
          ({ id, companyId }) => theirs.has(id) || companyId !== sandbox.stores[0]!.companyId,
        ),
      ).toEqual([])
    }
  })

  it('has what a product says of its quantities from the shelves', async () => {
    const sandbox = await sandboxWith({ transactionsPerDay: 1 })
    const shelves = await truth(sandbox, 'batch_quantities', '&full=1')
    for (const product of (await everything(sandbox, '/products')).slice(0, 60)) {
      const quantities = product['quantities'] as { inventoryId: string; quantity: number }[]
      for (const { inventoryId, quantity } of quantities) {
        const lying = shelves.filter(
          shelf => shelf['productId'] === product.id && shelf['inventoryId'] === inventoryId,
        )
        expect(lying.reduce((sum, shelf) => sum + Number(shelf['quantity']), 0)).toBe(quantity)
      }
    }
  })
})
