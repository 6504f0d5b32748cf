import { expect, test } from 'vitest'
import { control, startProject, waitFor } from '../helpers/project.ts'

const DAY = '2026-03-10'
const RANGE = ['--from', '2026-03-01', '--to', '2026-03-15']

test('a sale that is voided at the API after its day was booked is told after the next sync', async () => {
  const { project, sandbox, close } = await startProject({ stores: 1 })
  const [store] = sandbox.stores
  const say = (...args: string[]) => project.run(...args)
  try {
    expect((await say('sync', 'transactions', 'products', 'batches', ...RANGE)).status).toBe(0)
    await say('journal', '--date', DAY)
    expect((await say('status')).stdout).not.toContain('has changed since its journal')
    const [[id]] = project.query(
      `SELECT id FROM transactions WHERE status = 'Completed'
       AND completed_time BETWEEN 1773169200000 AND 1773180000000 LIMIT 1`,
    ) as [[string]]
    await control(sandbox, 'POST', 'void', { store: store!.id, transactionId: id })
    const synced = await say('sync', 'transactions')
    const command = `tillage journal --store ${store!.id} --date ${DAY}`
    expect(synced.stderr).toContain(command)
    const told = await say('status')
    expect(told.status).toBe(3)
    expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain(`${DAY} has changed since its journal`)
    const shown = await say('books', '--month', '2026-03')
    expect(shown.stdout).toMatch(new RegExp(`${DAY} +changed`))
    const refused = await say('books', 'close', '2026-03', '--by', 'Ana')
    expect(refused.status).toBe(3)
    expect(refused.stderr).toContain(command)
    await say('journal', '--date', DAY)
    expect((await say('status')).stdout).not.toContain('has changed since its journal')
  } finally {
    await close()
  }
})

test("a person's own sync that the API did not answer is the last attempt, until one succeeds", async () => {
  const { project, sandbox, close } = await startProject({ stores: 1 })
  const [store] = sandbox.stores
  const entry = {
    id: store!.id,
    baseUrl: sandbox.baseUrl,
    partnerKey: sandbox.partnerKey,
    developerKey: store!.developerKey,
    timeZone: store!.timeZone,
  }
  const sync = () => project.run('sync', 'products', '--patience', '0')
  const status = async () => {
    const told = await project.run('status')
    return { ...told, stdout: told.stdout.replaceAll(/\s+/g, ' ') }
  }
  try {
    expect((await sync()).status).toBe(0)
    expect((await status()).status).toBe(0)
    project.configure([{ ...entry, developerKey: 'a-key-that-was-renewed' }])
    expect((await sync()).status).toBe(1)
    const refused = await status()
    expect(refused.status).toBe(3)
    expect(refused.stdout).toContain('the last attempt to read it failed')
    expect(refused.stdout).toContain('PARTNER_KEYS')
    project.configure([entry])
    expect((await sync()).status).toBe(0)
    await waitFor(async () => (await status()).status === 0, 'the attempt to count')
  } finally {
    await close()
  }
})
