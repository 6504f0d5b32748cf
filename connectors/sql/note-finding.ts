import type { NewFinding } from '../destination/windows.ts'
import { run } from './steps.ts'
import type { Steps } from './steps.ts'

/** One finding, by its id: the first time, and each time again. */
const NOTE_FINDING = `
  INSERT INTO findings
    (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at)
  VALUES (@id, @store, @stream, @code, @detail, 1, @readAt, @readAt)
  ON CONFLICT (id) DO UPDATE
    SET times = findings.times + 1, detail = excluded.detail, last_seen_at = excluded.last_seen_at`

const findingId = (
  { store, stream }: { store: string; stream: string },
  { code, path }: Pick<NewFinding, 'code' | 'path'>,
): string => [store, stream, code, ...(path === undefined ? [] : [path])].join('/')

interface About {
  store: string
  stream: string
  readAt: string
}

/** Writes the table `findings`; answers the ids of what was noted. */
export function* noteFindings(about: About, findings: readonly NewFinding[]): Steps<string[]> {
  for (const finding of findings) {
    const { code, detail } = finding
    yield* run(NOTE_FINDING, { ...about, id: findingId(about, finding), code, detail })
  }
  return findings.map(finding => findingId(about, finding))
}
