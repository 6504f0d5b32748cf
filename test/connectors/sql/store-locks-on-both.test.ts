import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate, openOutboundStore } from '../../../connectors/database.ts'
import type { OutboundStore } from '../../../connectors/destination/outbound.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { aloneInStore } from '../../../outbound/in-store.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { runNamed } from '../../outbound/run-named.ts'

const KINDS = {
  SQLite: async () => join(mkdtempSync(join(tmpdir(), 'tillage-locks-')), 'tillage.db'),
  PostgreSQL: async () => (await postgresForTests()).url,
}
const AT = '2026-11-22T10:00:00.000Z'
const DOWNTOWN = { store: 'downtown', run: 'apply-2' }
const patiently = (): void => {}

describe.each(Object.entries(KINDS))('the right to write to a store, on %s,', (kind, place) => {
  let address: string
  /** As two machines have them. */
  let one: OutboundStore
  let other: OutboundStore
  beforeAll(async () => {
    address = await place()
    await migrate(address, [])
    one = await openOutboundStore(address)
    other = await openOutboundStore(address)
  })
  afterAll(async () => {
    await one.close()
    await other.close()
  })

  it('is had by one at a time, and that to another store beside it', async () => {
    const held = await one.lockStore({ store: 'downtown', run: 'apply-1' }, patiently)
    await (await other.lockStore({ store: 'harbor', run: 'apply-1' }, patiently)).release()
    const events: string[] = []
    const heard = Promise.withResolvers<void>()
    const taking = other
      .lockStore({ store: 'downtown', run: 'apply-1' }, () => heard.resolve())
      .then(later => {
        events.push('taken')
        return later
      })
    await heard.promise
    events.push('released')
    await held.release()
    await (await taking).release()
    expect(events).toEqual(['released', 'taken'])
  })

  it('is not waited for by who is stopped', async () => {
    const held = await one.lockStore({ store: 'downtown', run: 'apply-1' }, patiently)
    const stopping = new AbortController()
    const control = { signal: stopping.signal, say: patiently }
    const waiting = aloneInStore(other, DOWNTOWN, control, async () => 'written')
    stopping.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await held.release()
    const free = { ...control, signal: new AbortController().signal }
    expect(await aloneInStore(other, DOWNTOWN, free, async () => 'written')).toBe('written')
  })

  it.runIf(kind === 'PostgreSQL')(
    'is lost by a machine that slept: it sends nothing more, and what it had sent is written down',
    async () => {
      const plan = { plan: 'PL-1', kind: 'push' as const, hash: 'a', createdAt: AT, facts: {} }
      const planned = ['op-1', 'op-2'].map(op => ({
        plan: 'PL-1',
        op,
        token: op,
        state: 'planned' as const,
        attempt: 0,
        changedAt: AT,
        facts: {},
      }))
      await one.savePlan(plan, planned)
      await one.beginRun(runNamed('PL-1', 'apply-1', AT), null)
      const send = (op: string): Promise<boolean> =>
        one.move({
          plan: 'PL-1',
          op,
          at: AT,
          from: ['planned'],
          to: 'submitted',
          event: 'sent',
          detail: '',
          sendsIn: 'apply-1',
          writesTo: 'downtown',
        })
      const expire = (): Promise<unknown> =>
        withSql(address, sql =>
          sql.run(`UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'`),
        )
      const slept = await one.lockStore({ store: 'downtown', run: 'apply-1' }, patiently)
      expect(await send('op-1')).toBe(true)
      await expire()
      const taken = await other.lockStore({ store: 'downtown', run: 'apply-1' }, patiently)
      await expect(send('op-2')).rejects.toMatchObject({ code: 'WRITES_TAKEN_OVER' })
      const confirmed = { plan: 'PL-1', op: 'op-1', at: AT, from: ['submitted'] as const }
      expect(
        await one.move({ ...confirmed, to: 'confirmed', event: 'confirmed', detail: '' }),
      ).toBe(true)
      await taken.release()
      await slept.release()
      // What another run of this process has lost is nothing to this one.
      const ofAnother = await one.lockStore({ store: 'harbor', run: 'apply-9' }, patiently)
      await expire()
      const lost = await other.lockStore({ store: 'harbor', run: 'apply-8' }, patiently)
      expect(await send('op-2')).toBe(true)
      await lost.release()
      await ofAnother.release()
    },
  )
})
