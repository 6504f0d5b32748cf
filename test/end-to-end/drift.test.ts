import { expect, onTestFinished, test } from 'vitest'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, DATABASES, RANGE, startProject } from '../helpers/project.ts'

type Started = Awaited<ReturnType<typeof startProject>>

const readAgain = async (started: Started): Promise<{ code: string; detail: string }[]> => {
  const { status, stdout } = await started.project.run(
    'sync',
    'transactions',
    ...RANGE,
    '--again',
    '--json',
  )
  expect(status).toBe(0)
  return (JSON.parse(stdout) as SyncReport).stores[0]!.streams[0]!.findings
}

test.each(DATABASES)(
  'a field that is new or changes its type is reported once, without its value, on %s',
  async database => {
    const started = await startProject({ stores: 1, transactionsPerDay: 20 }, { database })
    onTestFinished(() => started.close())
    expect(await readAgain(started)).toEqual([])
    const [record] = (await control(
      started.sandbox,
      'GET',
      'records?store=downtown&stream=transactions&full=1',
    )) as { id: string; transNo: string; modified: number }[]
    await control(started.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'transactions',
      op: 'edit',
      id: record!.id,
      patch: {
        modified: record!.modified + 1,
        transNo: 4711,
        loyalty: { tiers: [{ name: 'GOLD' }] },
      },
    })
    const found = await readAgain(started)
    expect(found.map(({ code }) => code)).toEqual(['field_added', 'field_retyped'])
    expect(found.map(({ detail }) => detail)).toEqual([
      `loyalty is new (object); first in record ${record!.id}`,
      `transNo is number, was text; first in record ${record!.id}`,
    ])
    expect(await readAgain(started)).toEqual([])
  },
)
