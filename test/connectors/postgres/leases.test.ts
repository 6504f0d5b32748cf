import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { GivenOut } from '../../../connectors/destination/given-out.ts'
import {
  statementsOn,
  withConnections,
  withSql,
} from '../../../connectors/postgres/connection/sql-connection.ts'
import { inTransaction } from '../../../connectors/postgres/connection/transaction.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { openGivenOut } from '../../../connectors/postgres/tables/given-out.ts'
import { takeLease } from '../../../connectors/postgres/tables/leases.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

let url: string
/** As two machines have them. */
let one: GivenOut
let other: GivenOut
beforeEach(async () => {
  ;({ url } = await postgresForTests())
  await postgres.migrate(url, [])
  one = await openGivenOut(url)
  other = await openGivenOut(url)
})
afterEach(async () => {
  await one.close()
  await other.close()
})

const range = { store: 'downtown', days: { from: '2026-03-08', to: '2026-03-09' } }
const write = (given: GivenOut, revision: number): Promise<void> =>
  given.rememberState(range, 'sales', { revision, state: `state ${revision}` })
const newest = async (): Promise<number | undefined> =>
  (await one.newestState(range, 'sales'))?.revision
const patiently = (): void => {}

/** As if its holder had slept for longer than it lasts; the server's clock alone counts. */
const expire = (): Promise<unknown> =>
  withSql(url, sql =>
    sql.run(`UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'`),
  )

it('a range is given out by one at a time, and another range beside it', async () => {
  const held = await one.lock!('downtown', patiently)
  const beside = await other.lock!('harbor', patiently)
  await beside.release()
  const events: string[] = []
  const heard = Promise.withResolvers<void>()
  const waiting = other.lock!('downtown', () => heard.resolve()).then(later => {
    events.push('taken by the other')
    return later
  })
  await heard.promise
  await write(one, 0)
  events.push('written by the first')
  await held.release()
  const later = await waiting
  expect(events).toEqual(['written by the first', 'taken by the other'])
  await write(other, 1)
  await later.release()
  expect(await withSql(url, sql => sql.all('SELECT * FROM leases'))).toEqual([])
})

it('who is stopped while it waits waits no longer', async () => {
  const held = await one.lock!('downtown', patiently)
  const stopped = other.lock!('downtown', () => {
    throw new Error('stopped')
  })
  await expect(stopped).rejects.toThrow('stopped')
  await held.release()
})

it('who slept for too long writes nothing once another has taken over, nor after that', async () => {
  const slept = await one.lock!('downtown', patiently)
  await write(one, 0)
  await expire()
  const taken = await other.lock!('downtown', patiently)
  await write(other, 1)
  const refused = { code: 'EXPORT_TAKEN_OVER', remedy: expect.stringContaining('Run the same') }
  await expect(write(one, 2)).rejects.toMatchObject(refused)
  await taken.release()
  await expect(
    one.post('downtown', '2026-03-08', { entries: [], files: [], at: '2026-03-09T00:00:00.000Z' }),
  ).rejects.toMatchObject(refused)
  expect(await newest()).toBe(1)
  await slept.release()
  await write(one, 2)
  expect(await newest()).toBe(2)
})

it('who slept while nobody wanted the range goes on', async () => {
  const held = await one.lock!('downtown', patiently)
  await expire()
  await write(one, 0)
  expect(await newest()).toBe(0)
  await held.release()
})

it('nobody takes over in the middle of what is being written', async () => {
  const events: string[] = []
  const lease = await takeLease(url, 'name', patiently)
  const taking = await withConnections(url, connections =>
    inTransaction(connections, async client => {
      expect(await lease.isHeld(statementsOn(client))).toBe(true)
      // A holder that is still there could renew it in the meantime, as this does.
      await expire()
      const taken = takeLease(url, 'name', patiently).then(later => {
        events.push('taken over')
        return later
      })
      await waitsForARow()
      events.push('written')
      return { taken }
    }),
  )
  const later = await taking.taken
  expect(events).toEqual(['written', 'taken over'])
  await lease.release()
  await later.release()
})

const waitsForARow = (): Promise<void> =>
  expect
    .poll(() =>
      withSql(url, sql =>
        sql.all(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
           AND query LIKE 'DELETE FROM leases%' AND application_name = @name`,
          { name: `tillage ${new URL(url).searchParams.get('schema')}` },
        ),
      ),
    )
    .toHaveLength(1)

/** For how long nobody else can have it, by the server's clock. */
const lastsSeconds = async (): Promise<number> => {
  const [lease] = await withSql(url, sql =>
    sql.all<{ left: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float AS left FROM leases`,
    ),
  )
  return lease!.left
}

it('who was killed is out of the way within ten seconds, and who lives never', async () => {
  const module = new URL('../../../connectors/postgres/tables/leases.ts', import.meta.url).href
  const code = `
    const { takeLease } = await import(${JSON.stringify(module)})
    await takeLease(${JSON.stringify(url)}, 'name', () => {})
    console.log('taken')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  const over = once(holder, 'close')
  await Promise.race([once(holder.stdout, 'data'), over])
  const beganMs = performance.now()
  const taken = takeLease(url, 'name', () => {
    // Longer than it lasts: it was renewed until then.
    if (performance.now() - beganMs > 10_000 && !holder.killed) holder.kill('SIGKILL')
  })
  // Whoever gets it while the holder lives does not wait for its end.
  expect(await Promise.race([over.then(() => 'over'), taken])).toBe('over')
  expect(await lastsSeconds()).toBeLessThan(10)
  await (await taken).release()
})
