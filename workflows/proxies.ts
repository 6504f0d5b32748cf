import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { ActivityOptions } from '@temporalio/workflow'
import type { Activities, WriteActivities } from '../activities/index.ts'
import { exportsQueue, writesQueue } from './ids.ts'

/**
 * The one owner of timeouts and retries. The client never retries; what cannot succeed by trying
 * again arrives here as not retryable, and a pause that the API asked for arrives as the next
 * delay.
 */

/** A child has an end of its own: of the years of a large chain, all are read in days. */
export const LONGEST_CHILD = '14 days'
/** A plan may wait for a price of next year. */
export const LONGEST_PLAN = '400 days'

/**
 * A killed worker is noticed within this; every activity sends a heartbeat each few seconds
 * (`atBoundary` of `activities/index.ts`).
 */
const heartbeatTimeout = '10 seconds'

/** A database that restarts, or fails over to another machine, is waited for: some 18 seconds. */
const PATIENTLY = {
  initialInterval: '250 ms',
  backoffCoefficient: 2,
  maximumInterval: '5 seconds',
  maximumAttempts: 8,
} as const

/**
 * A window is seconds to minutes of requests. An attempt keeps what it has read, so each one gets
 * further.
 */
export const { syncWindow } = proxyActivities<Pick<Activities, 'syncWindow'>>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: PATIENTLY,
})

/** A sample waits for a busy API as a window does; leaving one out does no harm. */
export const { compareWindow, compareRecords } = proxyActivities<
  Pick<Activities, 'compareWindow' | 'compareRecords'>
>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
    maximumAttempts: 6,
  },
})

/**
 * Reads and writes of the database; planning may first ask the API whether it has the list, and
 * wait for it as a window does.
 */
export const { planWindows, recordUnproven } = proxyActivities<
  Pick<Activities, 'planWindows' | 'recordUnproven'>
>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout,
  retry: PATIENTLY,
})

/**
 * What schedules decide by and remember, in the database alone: one that is away in the night is
 * waited for, and what was read and written before goes on when it is back.
 */
export const {
  noteRun,
  checkDay,
  saveChecks,
  findNightOrder,
  findSweepOrder,
  findCheckOrder,
  countPushFiles,
} = proxyActivities<
  Pick<
    Activities,
    | 'noteRun'
    | 'checkDay'
    | 'saveChecks'
    | 'findNightOrder'
    | 'findSweepOrder'
    | 'findCheckOrder'
    | 'countPushFiles'
  >
>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout,
  retry: { initialInterval: '250 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
})

/** That a run was stopped: whoever stops it waits for the end. */
export const { noteRun: noteStopped } = proxyActivities<Pick<Activities, 'noteRun'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '250 ms', maximumAttempts: 5 },
})

/**
 * May have to ask the store for its zone, the first time: then a night begins when the API answers
 * again.
 */
export const { beginRun } = proxyActivities<Pick<Activities, 'beginRun'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/** Of workers that write files: folders and disks are theirs. */
const onExports = (
  options: ActivityOptions,
): Pick<Activities, 'writeBooks' | 'makeBackup' | 'takeAudit'> =>
  proxyActivities({ ...options, taskQueue: exportsQueue(workflowInfo().taskQueue) })

/**
 * Minutes for a large day; whole or not at all, so it is simply done again. What is not proven
 * comes back at once.
 */
export const writeBooks: Activities['writeBooks'] = input =>
  onExports({
    startToCloseTimeout: '1 hour',
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '1 minute',
      maximumAttempts: 5,
    },
  }).writeBooks(input)

/** The first request of a run: a store that is down is reported within seconds, not waited for. */
export const { identifyStore, chooseSample } = proxyActivities<
  Pick<Activities, 'identifyStore' | 'chooseSample'>
>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: {
    initialInterval: '250 ms',
    backoffCoefficient: 2,
    maximumInterval: '2 seconds',
    maximumAttempts: 5,
  },
})

/**
 * Writes to the API, minutes for thousands of records. What may be sent again is not decided by
 * retries but by what is written down before each sending. A run whose process is gone is over
 * within seconds: nobody else takes its work. What is sent without a command that waits for it
 * waits for a database that is away.
 */
export const writesOf = (run?: string): WriteActivities =>
  proxyActivities<WriteActivities>({
    taskQueue: writesQueue(workflowInfo().taskQueue, run),
    ...(run === undefined ? {} : { scheduleToStartTimeout: '30 seconds' }),
    startToCloseTimeout: '12 hours',
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '250 ms',
      backoffCoefficient: 2,
      maximumInterval: '30 seconds',
      ...(run === undefined ? {} : { maximumAttempts: 6 }),
    },
  })

/** Reads lists and files; a plan that is made twice is two plans, of which one is approved. */
export const { planPush, lookForDrift } = proxyActivities<
  Pick<Activities, 'planPush' | 'lookForDrift'>
>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '1 minute',
    maximumAttempts: 8,
  },
})

/** Copies and checks all pages of the database; each attempt is a copy with a name of its own. */
export const makeBackup: Activities['makeBackup'] = input =>
  onExports({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', maximumInterval: '5 minutes', maximumAttempts: 8 },
  }).makeBackup(input)

/** One transaction over all that is old: minutes, the first time. What is gone stays gone. */
export const { purgeOld } = proxyActivities<Pick<Activities, 'purgeOld'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes', maximumAttempts: 8 },
})

/**
 * Reads a store's inventory live, minutes for a large one; a second attempt is a second snapshot.
 */
export const takeAudit: Activities['takeAudit'] = input =>
  onExports({
    startToCloseTimeout: '1 hour',
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '5 minutes',
      maximumAttempts: 8,
    },
  }).takeAudit(input)

/** While events come, a minute at a time; they wait on the disk, so nothing is lost with it. */
export const { readHints } = proxyActivities<Pick<Activities, 'readHints'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 5 },
})

/** Asks once a second, as long as the work that somebody else started takes. */
export const { joinWorkflow } = proxyActivities<Pick<Activities, 'joinWorkflow'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 1 },
})

/** A receiver has ten seconds. One that is down over the evening gets it in the night. */
export const { deliverNotice } = proxyActivities<Pick<Activities, 'deliverNotice'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout,
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '30 minutes' },
})

/** Bookkeeping alone. */
export const { giveUpNotice } = proxyActivities<Pick<Activities, 'giveUpNotice'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
})
