import { cancellationSignal } from '@temporalio/activity'
import { beginRun, noteRun, type BeginInput, type Run, type RunNote } from './begin-run.ts'
import { atBoundary } from './boundary.ts'
import { chooseSample, type Sample, type SampleInput } from './choose-sample.ts'
import { compareRecords, type CompareRecordsInput, type RecordComparison } from './compare-records.ts'
import { compareWindow, type CompareInput, type Comparison } from './compare-window.ts'
import { saveChecks, type CheckedStream, type ChecksToSave } from './save-checks.ts'
import { checkDay, type DayCheck } from './check-day.ts'
import type { BooksOrder, Dependencies, WrittenBooks } from './dependencies.ts'
import { identifyStore, type StoreIdentity } from './identify-store.ts'
import { joinWorkflow } from './join-workflow.ts'
import { planWindows, type Plan, type PlanInput } from './plan-windows.ts'
import { recordUnproven, syncWindow, type UnprovenInput, type WindowInput, type WindowResult } from './sync-window.ts'

/** Every activity. Their names live in workflow histories: never rename one. */
export interface Activities {
  identifyStore(input: { store: string }): Promise<StoreIdentity>
  planWindows(input: PlanInput): Promise<Plan>
  syncWindow(input: WindowInput): Promise<WindowResult>
  recordUnproven(input: UnprovenInput): Promise<WindowResult>
  joinWorkflow(input: { workflowId: string }): Promise<unknown>
  beginRun(input: BeginInput): Promise<Run>
  noteRun(input: RunNote): Promise<void>
  checkDay(input: { run: Run; streams: readonly string[] }): Promise<DayCheck>
  writeBooks(input: BooksOrder): Promise<WrittenBooks>
  chooseSample(input: SampleInput): Promise<Sample>
  compareWindow(input: CompareInput): Promise<Comparison>
  compareRecords(input: CompareRecordsInput): Promise<RecordComparison>
  saveChecks(input: ChecksToSave): Promise<CheckedStream[]>
}

export function createActivities(dependencies: Dependencies): Activities {
  return {
    identifyStore: atBoundary((input) => identifyStore(dependencies, input, cancellationSignal())),
    planWindows: atBoundary((input) => planWindows(dependencies, input)),
    syncWindow: atBoundary((input) => syncWindow(dependencies, input)),
    recordUnproven: atBoundary((input) => recordUnproven(dependencies, input)),
    joinWorkflow: atBoundary(joinWorkflow),
    beginRun: atBoundary((input) => beginRun(dependencies, input, cancellationSignal())),
    noteRun: atBoundary((input) => noteRun(dependencies, input)),
    checkDay: atBoundary((input) => checkDay(dependencies, input)),
    chooseSample: atBoundary((input) => chooseSample(dependencies, input, cancellationSignal())),
    compareWindow: atBoundary((input) => compareWindow(dependencies, input, cancellationSignal())),
    compareRecords: atBoundary((input) => compareRecords(dependencies, input, cancellationSignal())),
    saveChecks: atBoundary((input) => saveChecks(dependencies, input)),
    writeBooks: atBoundary((input) => dependencies.writeBooks(input, cancellationSignal())),
  }
}
