import { cancellationSignal } from '@temporalio/activity'
import { takeAudit } from '../audit/take-audit.ts'
import type { AuditTaken } from '../audit/take-audit.ts'
import { toIso } from '../calendar/days.ts'
import type { Purged } from '../connectors/destination/upkeep.ts'
import { deliver, giveUp } from '../notify/deliver.ts'
import type { DeliveryPlace } from '../notify/deliver.ts'
import { applyPlan } from './apply-plan.ts'
import type { ApplyOrder, RoundResult, Writing } from './apply-plan.ts'
import { beginRun, noteRun } from './begin-run.ts'
import type { BeginInput, Run, RunNote } from './begin-run.ts'
import { HEARTBEAT_OF_WRITES_MS, atBoundary } from './boundary.ts'
import { checkDay } from './check-day.ts'
import type { DayCheck } from './check-day.ts'
import { chooseSample } from './choose-sample.ts'
import type { Sample, SampleInput } from './choose-sample.ts'
import { compareRecords } from './compare-records.ts'
import type { CompareRecordsInput, RecordComparison } from './compare-records.ts'
import { compareWindow } from './compare-window.ts'
import type { CompareInput, Comparison } from './compare-window.ts'
import type { DayFilesOrder, Dependencies, WrittenFiles } from './dependencies.ts'
import { countPushFiles, orderOf } from './find-order.ts'
import { identifyStore } from './identify-store.ts'
import type { StoreIdentity } from './identify-store.ts'
import { joinWorkflow } from './join-workflow.ts'
import { anyError, fatalError, noteAnswered, noteIfItFails } from './note-attempt.ts'
import type { WindowInput } from './open-reading.ts'
import type { CheckOrder, NightOrder, SweepOrder } from './orders.ts'
import { lookForDrift, planPush } from './plan-push.ts'
import type { PushFileInput, PushedFile } from './plan-push.ts'
import { planWindows } from './plan-windows.ts'
import type { Plan, PlanInput } from './plan-windows.ts'
import { readHints } from './read-hints.ts'
import type { HintsRead, ReadHintsInput } from './read-hints.ts'
import { createRunReporter } from './run-events.ts'
import { saveChecks } from './save-checks.ts'
import type { CheckedStream, ChecksToSave } from './save-checks.ts'
import { recordUnproven, syncWindow } from './sync-window.ts'
import type { UnprovenInput, WindowResult } from './sync-window.ts'
import { makeBackup, purgeOld } from './upkeep.ts'
import { waitOutOutage } from './wait-out-outage.ts'

/**
 * What reads, and writes the database and files. Names live in workflow histories: never rename
 * one.
 */
export interface Activities {
  identifyStore(input: { store: string }): Promise<StoreIdentity>
  planWindows(input: PlanInput): Promise<Plan>
  syncWindow(input: WindowInput): Promise<WindowResult>
  recordUnproven(input: UnprovenInput): Promise<WindowResult>
  joinWorkflow(input: { workflowId: string }): Promise<unknown>
  beginRun(input: BeginInput): Promise<Run>
  findNightOrder(input: { store: string }): Promise<NightOrder>
  findSweepOrder(input: { store: string }): Promise<SweepOrder>
  findCheckOrder(input: { store: string }): Promise<CheckOrder>
  noteRun(input: RunNote): Promise<void>
  checkDay(input: { run: Run; streams: readonly string[] }): Promise<DayCheck>
  writeBooks(input: DayFilesOrder): Promise<WrittenFiles>
  chooseSample(input: SampleInput): Promise<Sample>
  compareWindow(input: CompareInput): Promise<Comparison>
  compareRecords(input: CompareRecordsInput): Promise<RecordComparison>
  saveChecks(input: ChecksToSave): Promise<CheckedStream[]>
  countPushFiles(input: { store: string }): Promise<{ files: number }>
  planPush(input: PushFileInput): Promise<PushedFile>
  lookForDrift(input: { store: string }): Promise<{ records: number; drifted: number }>
  takeAudit(input: { store: string }): Promise<AuditTaken>
  purgeOld(input: { store: string }): Promise<Purged[]>
  makeBackup(input: { store: string }): Promise<{ megabytes: number; removed: number }>
  readHints(input: ReadHintsInput): Promise<HintsRead>
  deliverNotice(input: { delivery: string }): Promise<void>
  giveUpNotice(input: { delivery: string }): Promise<void>
}

/** What writes to the API: only processes that were told to carry it out take such work. */
export interface WriteActivities {
  applyPlan(input: ApplyOrder): Promise<RoundResult>
}

export const createWriteActivities = (writing: Writing): WriteActivities => ({
  applyPlan: atBoundary(
    input => applyPlan(writing, input, cancellationSignal()),
    HEARTBEAT_OF_WRITES_MS,
  ),
})

export function createActivities(
  dependencies: Dependencies,
  { push, reconciling }: Writing,
): Activities {
  const report = createRunReporter(dependencies)
  return {
    identifyStore: atBoundary(async input => {
      const identity = await noteIfItFails(dependencies, { ...input, means: anyError }, () =>
        identifyStore(dependencies, input, cancellationSignal()),
      )
      await noteAnswered(dependencies, input.store)
      return identity
    }),
    planWindows: atBoundary(input =>
      noteIfItFails(dependencies, { store: input.store, means: fatalError }, () =>
        planWindows(dependencies, input),
      ),
    ),
    syncWindow: atBoundary(input => {
      // One for all that it does: waiting for the API leaves the reading what is left.
      const outOfTime = AbortSignal.timeout(dependencies.longestAttemptMs)
      const signal = AbortSignal.any([cancellationSignal(), outOfTime])
      return waitOutOutage(dependencies, input.store, signal, () =>
        noteIfItFails(dependencies, { store: input.store, means: fatalError }, () =>
          syncWindow(dependencies, input, outOfTime),
        ),
      )
    }),
    recordUnproven: atBoundary(input => recordUnproven(dependencies, input)),
    joinWorkflow: atBoundary(joinWorkflow),
    beginRun: atBoundary(async input => {
      const run = await noteIfItFails(dependencies, { store: input.store, means: anyError }, () =>
        beginRun(dependencies, input, cancellationSignal()),
      )
      await report.begun(run)
      return run
    }),
    findNightOrder: atBoundary(async ({ store }) => orderOf(dependencies, 'nightly', store)),
    findSweepOrder: atBoundary(async ({ store }) => orderOf(dependencies, 'sweep', store)),
    findCheckOrder: atBoundary(async ({ store }) => orderOf(dependencies, 'check', store)),
    noteRun: atBoundary(async input => {
      await noteRun(dependencies, input)
      report.noted(input)
    }),
    checkDay: atBoundary(input => checkDay(dependencies, input)),
    chooseSample: atBoundary(input => chooseSample(dependencies, input, cancellationSignal())),
    compareWindow: atBoundary(input => compareWindow(dependencies, input, cancellationSignal())),
    compareRecords: atBoundary(input => compareRecords(dependencies, input, cancellationSignal())),
    saveChecks: atBoundary(input => saveChecks(dependencies, input)),
    countPushFiles: atBoundary(input => countPushFiles(dependencies, input)),
    planPush: atBoundary(async ({ store, file }) => {
      const order = orderOf(dependencies, 'push', store).files[file]
      return planPush(push, { store, order }, cancellationSignal())
    }),
    lookForDrift: atBoundary(async input => {
      const found = await lookForDrift(push, input, cancellationSignal())
      await dependencies.destination.attempts.keepDrift({
        ...input,
        ...found,
        at: toIso(dependencies.now()),
      })
      return found
    }),
    writeBooks: atBoundary(async input => {
      const written = await dependencies.writeBooks(input, cancellationSignal())
      report.written(input, written)
      return written
    }),
    purgeOld: atBoundary(input => purgeOld(dependencies, input)),
    makeBackup: atBoundary(input => makeBackup(dependencies, input, cancellationSignal())),
    readHints: atBoundary(input => readHints(dependencies, input, cancellationSignal())),
    deliverNotice: atBoundary(({ delivery }) =>
      deliver(deliveryPlace(dependencies), delivery, cancellationSignal()),
    ),
    giveUpNotice: atBoundary(({ delivery }) => giveUp(deliveryPlace(dependencies), delivery)),
    takeAudit: atBoundary(async ({ store }) => {
      orderOf(dependencies, 'audit', store)
      const signal = cancellationSignal()
      await reconciling.bring()
      const { store: log, exports, now, settings } = reconciling
      const { timeZone } = dependencies.store(store).settings
      const order = { log, exports, timeZone, reasons: settings.reasons, now }
      return takeAudit(reconciling.api(store, signal), order, signal)
    }),
  }
}

const deliveryPlace = ({ destination, notify, now }: Dependencies): DeliveryPlace => ({
  notices: destination.notices,
  settings: notify,
  now,
})
