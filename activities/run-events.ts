import { localMinute } from '../calendar/clock.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import { knownZone } from './begin-run.ts'
import type { Run, RunNote } from './begin-run.ts'
import type { DayFilesOrder, Dependencies, RunEvent, WrittenFiles } from './dependencies.ts'

/** Says what activities of runs did, once they did it. */
export function createRunReporter(dependencies: Dependencies) {
  const report = (
    { kind, store, day }: Pick<RunEvent, 'kind' | 'store' | 'day'>,
    event: Omit<RunEvent, 'at' | 'kind' | 'store' | 'day'>,
  ): void =>
    // Whoever listens comes after the activities were made.
    dependencies.onRunEvent({ at: toIso(dependencies.now()), kind, store, day, ...event })
  return {
    async begun(run: Run): Promise<void> {
      const timeZone = (await knownZone(dependencies, run.store)) ?? 'UTC'
      const { deadline } = run
      const detail =
        deadline === undefined ? '' : `must be ready by ${localMinute(fromIso(deadline), timeZone)}`
      report(run, { event: 'begun', detail })
    },
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
            files === 1 ? '1 file' : `${files} files`,
            ...notRevised.map(one => `${one.day} could not be revised (${one.code})`),
          ].join(', '),
          manifests,
        },
      ),
  }
}
