import {
  activityInfo,
  ApplicationFailure,
  cancellationSignal,
  heartbeat,
} from '@temporalio/activity'
import { takeAudit } from '../audit/take-audit.ts'
import { toIso } from '../calendar/days.ts'
import { TillageError } from '../errors.ts'
import { deliver, giveUp } from '../notify/deliver.ts'
import type { DeliveryPlace } from '../notify/deliver.ts'
import { withoutSecrets } from '../secrets.ts'
import { applyPlan } from './apply-plan.ts'
import type { ApplyOrder, Writing } from './apply-plan.ts'
import { beginRun, noteRun } from './begin-run.ts'
import type { BeginInput, RunNote } from './begin-run.ts'
import { checkDay } from './check-day.ts'
import { chooseSample } from './choose-sample.ts'
import type { SampleInput } from './choose-sample.ts'
import { compareRecords } from './compare-records.ts'
import type { CompareRecordsInput } from './compare-records.ts'
import { compareWindow } from './compare-window.ts'
import type { CompareInput } from './compare-window.ts'
import type { DayFilesOrder, Dependencies } from './dependencies.ts'
import type { FailureDetails } from './failure-details.ts'
import { countPushFiles, orderOf } from './find-order.ts'
import { identifyStore } from './identify-store.ts'
import { joinWorkflow } from './join-workflow.ts'
import { anyError, fatalError, noteAnswered, noteIfItFails } from './note-attempt.ts'
import { lookForDrift, planPush } from './plan-push.ts'
import type { PushFileInput } from './plan-push.ts'
import { planWindows } from './plan-windows.ts'
import type { PlanInput } from './plan-windows.ts'
import { readHints } from './read-hints.ts'
import type { ReadHintsInput } from './read-hints.ts'
import { createRunReporter } from './run-events.ts'
import { saveChecks } from './save-checks.ts'
import type { ChecksToSave } from './save-checks.ts'
import { recordUnproven, syncWindow } from './sync-window.ts'
import type { UnprovenInput, WindowInput } from './sync-window.ts'
import { makeBackup, purgeOld } from './upkeep.ts'
import { waitOutOutage } from './wait-out-outage.ts'

interface OfStore {
  store: string
}

interface OfDelivery {
  delivery: string
}

/** What writes to the API: only processes that were told to carry it out take such work. */
export type WriteActivities = ReturnType<typeof createWriteActivities>
export type Activities = ReturnType<typeof createActivities>

export const createWriteActivities = (writing: Writing) => ({
  applyPlan: atBoundary(
    (input: ApplyOrder) => applyPlan(writing, input, cancellationSignal()),
    HEARTBEAT_OF_WRITES_MS,
  ),
})

/**
 * What reads, and writes the database and files. Names live in workflow histories: never rename
 * one.
 */
export function createActivities(dependencies: Dependencies, { push, reconciling }: Writing) {
  const report = createRunReporter(dependencies)
  return {
    identifyStore: atBoundary(async (input: OfStore) => {
      const identity = await noteIfItFails(dependencies, { ...input, means: anyError }, () =>
        identifyStore(dependencies, input, cancellationSignal()),
      )
      await noteAnswered(dependencies, input.store)
      return identity
    }),
    planWindows: atBoundary((input: PlanInput) =>
      noteIfItFails(dependencies, { store: input.store, means: fatalError }, () =>
        planWindows(dependencies, input),
      ),
    ),
    syncWindow: atBoundary((input: WindowInput) => {
      // One for all that it does: waiting for the API leaves the reading what is left.
      const outOfTime = AbortSignal.timeout(dependencies.longestAttemptMs)
      const signal = AbortSignal.any([cancellationSignal(), outOfTime])
      return waitOutOutage(dependencies, input.store, signal, () =>
        noteIfItFails(dependencies, { store: input.store, means: fatalError }, () =>
          syncWindow(dependencies, input, outOfTime),
        ),
      )
    }),
    recordUnproven: atBoundary((input: UnprovenInput) => recordUnproven(dependencies, input)),
    joinWorkflow: atBoundary(joinWorkflow),
    beginRun: atBoundary(async (input: BeginInput) => {
      const run = await noteIfItFails(dependencies, { store: input.store, means: anyError }, () =>
        beginRun(dependencies, input, cancellationSignal()),
      )
      await report.begun(run)
      return run
    }),
    findNightOrder: atBoundary(async ({ store }: OfStore) =>
      orderOf(dependencies, 'nightly', store),
    ),
    findSweepOrder: atBoundary(async ({ store }: OfStore) => orderOf(dependencies, 'sweep', store)),
    findCheckOrder: atBoundary(async ({ store }: OfStore) => orderOf(dependencies, 'check', store)),
    noteRun: atBoundary(async (input: RunNote) => {
      await noteRun(dependencies, input)
      report.noted(input)
    }),
    checkDay: atBoundary((input: Parameters<typeof checkDay>[1]) => checkDay(dependencies, input)),
    chooseSample: atBoundary((input: SampleInput) =>
      chooseSample(dependencies, input, cancellationSignal()),
    ),
    compareWindow: atBoundary((input: CompareInput) =>
      compareWindow(dependencies, input, cancellationSignal()),
    ),
    compareRecords: atBoundary((input: CompareRecordsInput) =>
      compareRecords(dependencies, input, cancellationSignal()),
    ),
    saveChecks: atBoundary((input: ChecksToSave) => saveChecks(dependencies, input)),
    countPushFiles: atBoundary((input: OfStore) => countPushFiles(dependencies, input)),
    planPush: atBoundary(async ({ store, file }: PushFileInput) => {
      const order = orderOf(dependencies, 'push', store).files[file]
      return planPush(push, { store, order }, cancellationSignal())
    }),
    lookForDrift: atBoundary(async (input: OfStore) => {
      const found = await lookForDrift(push, input, cancellationSignal())
      await dependencies.destination.attempts.keepDrift({
        ...input,
        ...found,
        at: toIso(dependencies.now()),
      })
      return found
    }),
    writeBooks: atBoundary(async (input: DayFilesOrder) => {
      const written = await dependencies.writeBooks(input, cancellationSignal())
      report.written(input, written)
      return written
    }),
    purgeOld: atBoundary((input: OfStore) => purgeOld(dependencies, input)),
    makeBackup: atBoundary((input: OfStore) =>
      makeBackup(dependencies, input, cancellationSignal()),
    ),
    readHints: atBoundary((input: ReadHintsInput) =>
      readHints(dependencies, input, cancellationSignal()),
    ),
    deliverNotice: atBoundary(({ delivery }: OfDelivery) =>
      deliver(deliveryPlace(dependencies), delivery, cancellationSignal()),
    ),
    giveUpNotice: atBoundary(({ delivery }: OfDelivery) =>
      giveUp(deliveryPlace(dependencies), delivery),
    ),
    takeAudit: atBoundary(async ({ store }: OfStore) => {
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

/** Well inside the heartbeat timeouts of `workflows/proxies.ts`. */
const HEARTBEAT_MS = 3_000

/**
 * Cancellation arrives with a heartbeat: of what writes to the API, sooner than with the others.
 */
export const HEARTBEAT_OF_WRITES_MS = 500

/**
 * What every activity does at its boundary. It beats, so that a killed worker is noticed within
 * seconds whatever it was doing, and so that cancellation arrives. Our errors become Temporal
 * failures: the code is the type, fatal and parked ones are not retried, and a pause that the API
 * asked for is the next delay. Others pass unchanged (cancellation must).
 */
function atBoundary<Arguments extends unknown[], Answer>(
  activity: (...args: Arguments) => Promise<Answer>,
  heartbeatMs = HEARTBEAT_MS,
): (...args: Arguments) => Promise<Answer> {
  return async (...args) => {
    const beat = setInterval(() => heartbeat(), heartbeatMs)
    try {
      const answer = await activity(...args)
      unforeseen.delete(thisActivity())
      return answer
    } catch (error) {
      throw error instanceof TillageError ? asFailure(error) : asUnforeseen(error)
    } finally {
      clearInterval(beat)
    }
  }
}

function thisActivity(): string {
  const { workflowExecution, activityId } = activityInfo()
  return `${workflowExecution?.runId}/${activityId}`
}

/** What nobody foresaw is a fault of ours more often than a passing one. */
const MOST_UNFORESEEN = 5
/** How often each activity that is still tried has failed so. */
const unforeseen = new Map<string, number>()

/** What we did not foresee goes into the history as it is, but for keys, and is not waited out. */
function asUnforeseen(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApplicationFailure) return error
  error.message = withoutSecrets(error.message)
  if (error.stack !== undefined) error.stack = withoutSecrets(error.stack)
  // A server of Temporal that is away comes back.
  if (error.name === 'ServiceError' || cancellationSignal().aborted) return error
  const failed = (unforeseen.get(thisActivity()) ?? 0) + 1
  unforeseen.set(thisActivity(), failed)
  if (failed < MOST_UNFORESEEN) return error
  unforeseen.delete(thisActivity())
  return ApplicationFailure.fromError(error, { nonRetryable: true })
}

function asFailure(error: TillageError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: error.recovery !== 'retry',
    details: [{ recovery: error.recovery, remedy: error.remedy } satisfies FailureDetails],
    ...(error.retryAfterMs === undefined
      ? {}
      : { nextRetryDelay: Math.max(100, error.retryAfterMs) }),
  })
}
