import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { describeEvent } from '../../commands/up/watch-runs.ts'
import { answeredBy } from '../helpers/asked.ts'
import { control, RANGE, startProject, waitFor } from '../helpers/project.ts'

test('a second Ctrl-C ends at once, and the same command goes on afterwards', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1 }, { embedded: true })
  try {
    await control(sandbox, 'POST', 'faults', [{ latencyMs: HOUR_MS, after: 2 }])
    const running = project.start('sync', 'transactions', ...RANGE)
    let said = ''
    running.stderr!.on('data', (text: Buffer) => (said += text.toString()))
    await waitFor(
      async () => (await answeredBy(sandbox)) === 2,
      'the answers before the one that hangs',
    )
    running.kill('SIGINT')
    await waitFor(() => said.includes('Ctrl-C again ends at once'), 'a word on what it waits for')
    running.kill('SIGINT')
    expect((await running.outcome).status).toBe(1)
    await control(sandbox, 'DELETE', 'faults')
    const again = await project.run('sync', 'transactions', ...RANGE)
    expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining('canceled')])
  } finally {
    await close()
  }
})

test('a command that asks the API itself ends with a word and no stack when it is stopped', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1 }, { embedded: true })
  try {
    await control(sandbox, 'POST', 'faults', [{ latencyMs: HOUR_MS, after: 2 }])
    const running = project.start('doctor')
    await waitFor(
      async () => (await answeredBy(sandbox)) === 2,
      'the answers before the one that hangs',
    )
    running.kill('SIGINT')
    const { status, stderr } = await running.outcome
    expect([status, stderr]).toEqual([1, expect.stringContaining('INTERRUPTED: stopped before')])
    expect(stderr).not.toContain('AbortError')
  } finally {
    await close()
  }
})

test('a line about a run says when, what, of which day, what came of it and where the files are', () => {
  const run = {
    at: '2026-11-22T11:30:05.000Z',
    kind: 'nightly' as const,
    store: 'downtown',
    day: '2026-11-21',
  }
  expect(describeEvent({ ...run, event: 'begun', detail: '' })).toBe(
    '2026-11-22 11:30Z nightly downtown 2026-11-21: begun',
  )
  expect(
    describeEvent({ ...run, event: 'files', detail: '4 files', manifests: ['/data/m.json'] }),
  ).toBe('2026-11-22 11:30Z nightly downtown 2026-11-21: 4 files\n  /data/m.json')
  const here = [join(process.cwd(), 'exports', 'm.json')]
  expect(describeEvent({ ...run, event: 'files', detail: '', manifests: here })).toContain(
    '\n  exports/m.json',
  )
})
