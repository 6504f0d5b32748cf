import { toIso } from '../calendar/days.ts'
import type { Run, RunNote } from './begin-run.ts'
import type { DayFilesOrder, Dependencies, WrittenFiles } from './dependencies.ts'
import type { RunEvent } from './run-event.ts'

/** Says what activities of runs did, once they did it. */
export function createRunReporter(dependencies: Dependencies) {
  const report = (
    { kind, store, day }: Pick<RunEvent, 'kind' | 'store' | 'day'>,
    event: Omit<RunEvent, 'at' | 'kind' | 'store' | 'day'>,
  ): void =>
    // Whoever listens comes after the activities were made.
    dependencies.onRunEvent({ at: toIso(dependencies.now()), kind, store, day, ...event })
  return {
    begun: (run: Run): void =>
      report(run, {
        event: 'begun',
        detail: run.deadline === undefined ? '' : `must be ready by ${run.deadline}`,
      }),
    noted: ({ run, outcome, detail }: RunNote): void =>
      report(run, { event: outcome ?? 'waits', detail }),
    written: (
      { store, day }: DayFilesOrder,
      { files, manifests, notRevised }: WrittenFiles,
    ): void =>
      report(
        { kind: 'nightly', store, day },
        {
          event: 'files',
          detail: [
            `${files} files`,
            ...notRevised.map(one => `${one.day} could not be revised (${one.code})`),
          ].join(', '),
          manifests,
        },
      ),
  }
}
