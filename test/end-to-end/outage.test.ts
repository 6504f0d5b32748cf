import { expect, test } from 'vitest'
import type { FaultRule } from '../../sandbox/faults/rules.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { firedOf } from '../helpers/asked.ts'
import { control, Project, RANGE, storesOf, waitFor } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const OPTIONS = { days: 12, until: '2026-03-15', transactionsPerDay: 20, stores: 1 }

/** A sync that is at one of these requests when its API goes. */
async function loseApi(held: readonly FaultRule[], ...flags: string[]) {
  const sandbox = await startSandbox(OPTIONS)
  const project = new Project(await ownNamespace())
  project.configure(storesOf(sandbox))
  // The sync cannot be over before its API is gone, however seldom this process has its turn.
  await control(
    sandbox,
    'POST',
    'faults',
    held.map(rule => ({ ...rule, hang: true })),
  )
  const running = project.start('sync', 'transactions', 'members', ...flags)
  let said = ''
  running.stderr!.on('data', (text: Buffer) => (said += text.toString()))
  const isAtAll = async (): Promise<boolean> => (await firedOf(sandbox)).every(fired => fired > 0)
  await waitFor(isAtAll, 'the requests that hang')
  await sandbox.close()
  return { project, running, said: () => said, port: Number(new URL(sandbox.baseUrl).port) }
}

test('an API that is gone in the middle of a sync is waited for, and the sync goes on when it is back', async () => {
  const { project, running, said, port } = await loseApi([{ after: 5 }], ...RANGE)
  let again: Sandbox | undefined
  try {
    await waitFor(
      () => /downtown: waiting for the API since \d\d:\d\dZ \(.+\), trying again in/.test(said()),
      'a word about the outage',
    )
    again = await startSandbox({ ...OPTIONS, port })
    const { status, stderr } = await running.outcome
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('not proven')])
  } finally {
    await project.remove()
    await again?.close()
  }
})

interface Status {
  streams: { stream: string; findingsOver: number }[]
}

/** Codes of the findings that are about today. */
async function standing(project: Project): Promise<string[]> {
  const { stdout } = await project.run('findings', '--json')
  const { findings } = JSON.parse(stdout) as { findings: { code: string; standing: boolean }[] }
  return findings.filter(one => one.standing).map(({ code }) => code)
}

test('without patience an outage ends the sync with one cause; the next reading of the lists closes it', async () => {
  // Each list is one window, as in most nights: that is enough to know that the API is gone.
  const range = ['--from', '2026-03-14', '--to', '2026-03-15']
  const held = [{ match: '/partner/transactions' }, { match: '/partner/members' }]
  const { project, running, port } = await loseApi(held, ...range, '--patience', '0')
  let again: Sandbox | undefined
  try {
    const { status, stderr } = await running.outcome
    expect(status).toBe(1)
    expect(stderr.match(/PARTNER_UNREACHABLE/g)).toHaveLength(1)
    expect(stderr).toContain('run the same command again')
    expect(stderr).toContain('2 windows of 2 streams not proven, because the API did not answer')
    expect(stderr).not.toContain('waiting for the API')

    expect(await standing(project)).toContain('PARTNER_UNREACHABLE')
    const { stdout: open } = await project.run('status')
    expect(open.replaceAll(/\s+/g, ' ')).toContain(
      'PARTNER_UNREACHABLE: the API of downtown does not answer',
    )
    again = await startSandbox({ ...OPTIONS, port })
    expect((await project.run('sync', 'transactions', 'members', ...range)).status).toBe(0)
    // It is told as what was, and counts no more.
    expect(await standing(project)).not.toContain('PARTNER_UNREACHABLE')
    expect((await project.run('findings')).stdout).toMatch(/PARTNER_UNREACHABLE .* over/)
    const told = JSON.parse((await project.run('status', '--json')).stdout) as Status
    const { findingsOver } = told.streams.find(({ stream }) => stream === 'transactions')!
    expect(findingsOver).toBe(1)
  } finally {
    await project.remove()
    await again?.close()
  }
})
