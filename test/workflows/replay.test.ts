import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import { findWorkflowCode } from '../../temporal/workflow-code.ts'
import type { WorkflowCode } from '../../temporal/workflow-code.ts'

const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url))
const recorded = readdirSync(HISTORIES)
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const quiet = new DefaultLogger('ERROR', () => {})

const replay = async (workflowBundle: WorkflowCode, file: string): Promise<void> => {
  const history: unknown = JSON.parse(readFileSync(join(HISTORIES, file), 'utf8'))
  await Worker.runReplayHistory({ workflowBundle }, history)
}

/** A history as text, with the payloads that it holds in base64. */
function saidIn(file: string): string {
  const text = readFileSync(join(HISTORIES, file), 'utf8')
  const payloads = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data]) =>
    Buffer.from(data!, 'base64').toString('utf8'),
  )
  return [text, ...payloads].join('\n')
}

beforeAll(() => {
  Runtime.install({ logger: quiet, telemetryOptions: { logging: { filter: 'OFF', forward: {} } } })
})

describe('workflows of today, on histories of real runs', () => {
  let bundle: WorkflowCode
  beforeAll(async () => {
    bundle = await findWorkflowCode()
  })

  test('every way through every workflow was recorded', () => {
    const ways = recorded.map(file => file.split('.').slice(0, 2).join(' '))
    for (const way of [
      'plain',
      'unproven-windows',
      'split-windows',
      'retried-windows',
      'continued-as-new',
    ])
      for (const workflow of ['syncStore', 'syncStream'])
        expect(ways).toContain(`${way} ${workflow}`)
    expect(ways).toContain('refused-keys syncStore')
    expect(ways).toContain('sampled check')
    for (const workflow of ['nightly', 'sweep', 'check', 'backfillNights'])
      expect(ways).toContain(`scheduled ${workflow}`)
    for (const workflow of ['push', 'applyPlan', 'sendWhenDue'])
      expect(ways).toContain(`pushed ${workflow}`)
    expect(ways).toContain('reconciled applyPlan')
    expect(ways).toContain('audited audit')
    expect(ways).toContain('purged upkeep')
    expect(ways).toContain('backed-up backup')
    expect(ways).toContain('hinted readHints')
  })

  test.each(recorded)('%s replays', async file => {
    await expect(replay(bundle, file)).resolves.toBeUndefined()
  })

  test('a history holds neither records nor keys, and its size per window does not depend on the rows', () => {
    const events = (file: string): number =>
      (JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')) as { events: unknown[] }).events
        .length
    const long = recorded.find(
      file => file.startsWith('continued-as-new.syncStream') && events(file) > 500,
    )!
    // 200 windows a run: six events for each at most, besides start, plan and end.
    expect(events(long)).toBeLessThan(200 * 6 + 20)
    for (const file of recorded)
      expect(saidIn(file)).not.toMatch(/"raw"|"developerKey"|"firstName"/)
    // Who approved and decided, why, and what changes: all of it stays in the database.
    const writes = recorded.filter(file => /^(pushed|reconciled)\./.test(file))
    for (const file of writes)
      expect(saidIn(file)).not.toMatch(/Ana|manager|not there|"description|by schedule|P-100/)
    expect(writes.map(saidIn).join()).toContain('"plan":"PL')
  })
})

/** A recorded night as it is where so many streams are read, and its child is called so. */
function nightOf(streams: readonly string[], names: string): unknown {
  const file = recorded.find(name => name.startsWith('scheduled.nightly.nightly.44'))!
  const text = readFileSync(join(HISTORIES, file), 'utf8')
    .replaceAll('sync/downtown/transactions/', `sync/downtown/${names}/`)
    .replaceAll(/"data":"([^"]*)"/g, (_, data: string) => {
      const said = Buffer.from(data, 'base64').toString('utf8')
      const named = said.replaceAll('["transactions"]', JSON.stringify(streams))
      return `"data":"${Buffer.from(named).toString('base64')}"`
    })
  return JSON.parse(text)
}

test('a night that began before ids were shortened goes on under its own', async () => {
  const workflowBundle = await findWorkflowCode()
  const names = streams.map(({ name }) => name)
  const replayed = (called: string): Promise<void> =>
    Worker.runReplayHistory({ workflowBundle }, nightOf(names, called))
  await expect(replayed(names.join('+'))).resolves.toBeUndefined()
  await expect(replayed('24-streams+0123456789abcdef')).rejects.toThrow(
    /[Nn]ondeterminism|TMPRL1100/,
  )
})

test('a workflow that was changed does not replay, and says that it is not deterministic', async () => {
  const changed = await bundleWorkflowCode({
    workflowsPath: path('./changed/sync-stream.ts'),
    logger: quiet,
  })
  await expect(
    replay(
      changed,
      recorded.find(file => file.startsWith('plain.syncStream.vendors'))!,
    ),
  ).rejects.toThrow(/[Nn]ondeterminism|TMPRL1100/)
})
