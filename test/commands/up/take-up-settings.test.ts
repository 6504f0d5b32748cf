import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '@temporalio/client'
import { expect, onTestFinished, test } from 'vitest'
import { applyChangedSettings, mergeSettings } from '../../../commands/up/apply-changed-settings.ts'
import type { Config } from '../../../config.ts'
import { openDestination } from '../../../connectors/database.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { ConfigError, DatabaseError } from '../../../errors.ts'
import type { LogEvent } from '../../../log/log.ts'
import { startProject, storesOf, waitFor } from '../../helpers/project.ts'
import { bookkeeper } from '../bookkeeper.ts'

test('what says where the work is needs a restart, and everything else is taken up', async () => {
  const keeper = await bookkeeper()
  const before = keeper.config
  keeper.reconfigure({ schedules: { nightly: { at: '04:00' } } })
  expect(mergeSettings(before, keeper.config)).toMatchObject({
    changed: ['schedules'],
    later: [],
  })
  const elsewhere = { ...keeper.config, database: '/elsewhere/tillage.db' }
  expect(mergeSettings(before, elsewhere)).toMatchObject({
    changed: ['schedules'],
    later: ['database'],
    config: { database: before.database },
  })
  expect(mergeSettings(before, before)).toMatchObject({ changed: [], later: [] })
  const bucket = (region: string): Config => {
    keeper.reconfigure({ exports: { url: 's3://books/tillage', region } })
    return keeper.config
  }
  const [one, other] = [bucket('eu-central-1'), bucket('eu-west-1')]
  expect(mergeSettings(before, one)).toMatchObject({ later: ['exports'] })
  // The mirror of both is the same folder.
  expect(mergeSettings(one, other)).toMatchObject({
    changed: [],
    later: ['exports'],
    config: { objects: one.objects },
  })
})

/** Somebody who reads new settings, and meets this instead. */
async function meet(error: Error) {
  const keeper = await bookkeeper()
  const destination = await openDestination(keeper.config, streams)
  onTestFinished(() => destination.close())
  const said: string[] = []
  const context = {
    // Of a log that is kept from warnings on.
    log: ({ level, text }: LogEvent) => void (level === 'error' && said.push(text)),
    terminal: { log: () => {} },
    get config(): Config {
      throw error
    },
  }
  const worker = { dependencies: { destination } }
  const before = { config: keeper.config, worker, service: { roles: [] } }
  const applied = await applyChangedSettings(context as never, before as never)
  expect(applied.serving).toBe(before)
  return { ...applied, said: said.join('\n'), known: await destination.programs.all() }
}

test('what keeps settings out for a moment is tried again, and a file that is wrong is not', async () => {
  const busy = await meet(new DatabaseError('DATABASE_BUSY', 'held by another one'))
  expect(busy).toMatchObject({ isToTryAgain: true, known: [{ problem: 'held by another one' }] })
  expect(busy.said).toContain('tried again')
  const away = await meet(new ServiceError('deadline exceeded'))
  expect(away).toMatchObject({
    isToTryAgain: true,
    said: expect.stringContaining('did not do what it was asked for: deadline exceeded') as string,
  })
  const wrong = await meet(new ConfigError('tillage.yaml', ['no stores'], 'name one'))
  expect(wrong).toMatchObject({
    isToTryAgain: false,
    known: [{ problem: expect.stringContaining('no stores') }],
  })
  expect(wrong.said).not.toContain('tried again')
})

test('up takes up what changes in tillage.yaml, and goes on with the old settings where that is wrong', async () => {
  const { project, sandbox, close } = await startProject({ stores: 2, days: 1 })
  const [first, second] = storesOf(sandbox)
  const night = (at: string): object => ({
    schedules: { nightly: { at }, sweep: { every: 'never' }, check: { every: 'never' } },
  })
  let said = ''
  const hears = (text: string): Promise<void> => waitFor(() => said.includes(text), text)
  const standing = async (): Promise<string> => {
    const { stdout } = await project.run('status', '--json')
    const { notices } = JSON.parse(stdout) as { notices: { kind: string; text: string }[] }
    return notices
      .filter(({ kind }) => kind === 'settings_not_applied')
      .map(({ text }) => text)
      .join('\n')
  }
  try {
    project.configure([first!], night('03:30'))
    const up = project.start('up')
    up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await hears('Ctrl-C stops everything in order')
    expect(await standing()).toBe('')
    writeFileSync(join(project.folder, 'tillage.yaml'), 'stores: []\n')
    await hears('this goes on with the settings of before')
    project.configure([first!, second!], night('04:30'))
    await hears('tillage.yaml: stores, schedules taken up')
    expect(said).toMatch(/schedule nightly\/\S+ changed: at 03:30 -> 04:30/)
    expect(said).toMatch(new RegExp(`schedule nightly/${(second as { id: string }).id} created`))
    expect(await standing()).toBe('')
    const trigger = await project.run(
      'schedule',
      'trigger',
      '--store',
      (second as { id: string }).id,
    )
    expect(trigger.status).toBe(0)
    await hears(`nightly ${(second as { id: string }).id}`)
    project.configure([first!, second!], { ...night('04:30'), exports: './elsewhere' })
    await hears('exports changed; that needs a restart')
    // It is said before it is noted.
    await expect.poll(standing).toContain('exports')
    up.kill('SIGTERM')
    expect((await up.outcome).status).toBe(0)
    expect(await standing()).toBe('')
  } finally {
    await close()
  }
})

test('a worker takes up settings, too, stores in files of their own, and leaves schedules as they are', async () => {
  const { project, sandbox, close } = await startProject({ stores: 2, days: 1 })
  const [first, second] = storesOf(sandbox)
  let said = ''
  const hears = (text: string): Promise<void> => waitFor(() => said.includes(text), text)
  try {
    const keep = (name: string, store: object): void =>
      writeFileSync(join(project.folder, name), JSON.stringify(store))
    keep('first.store.yaml', first!)
    project.configure(['./*.store.yaml'])
    const worker = project.start('worker')
    worker.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await hears('worker is up')
    keep('second.store.yaml', second!)
    await hears('tillage.yaml: stores taken up')
    expect(said).not.toContain('schedule ')
    worker.kill('SIGTERM')
    expect((await worker.outcome).status).toBe(0)
  } finally {
    await close()
  }
})
