import { sha256Of } from '../../sha256.ts'
import { RESTATEMENT } from '../sales/restatement.ts'
import { additionOf, exportName, manifestText, SCHEMA_VERSION } from './manifest.ts'
import type {
  Manifest,
  ManifestDataset,
  ManifestFile,
  PublishedFormat,
  StoredManifest,
  StreamState,
} from './manifest.ts'

/** A finished file that has no final name yet. */
export interface PreparedFile {
  preparedPath: string
  dataset: string
  format: PublishedFormat
  rows: number
  bytes: number
  sha256: string
  writer?: string
  content?: string
  /** A word that its name has besides. */
  mark?: string
  /** Of a journal: the revision that it was given out for, which may be an earlier one. */
  revision?: number
}

/** What a manifest is made of, apart from what earlier ones say. */
export interface Draft {
  header: Pick<
    Manifest,
    'tool' | 'writer' | 'store' | 'days' | 'range' | 'currency' | 'books' | 'people' | 'proof'
  >
  /**
   * The states that were read now, with their numbers. States of other streams are carried over.
   */
  states: readonly StreamState[]
  /** Streams of which nothing is carried over: all their files are made anew. */
  renewed: readonly string[]
  /** The stream whose changes a restatement lists. */
  booked?: string | undefined
  /** Datasets of which nothing is carried over, whether they have a file now or not. */
  replaced?: readonly string[]
  datasets: readonly ManifestDataset[]
  files: readonly (PreparedFile & { revision: number })[]
}

/** What stands in the folder of a range. */
export interface Standing {
  folder: string
  newest: StoredManifest | undefined
  present: (file: ManifestFile) => boolean
  /**
   * Every name that was ever given out in this folder, with the sha256 of its bytes: a folder that
   * was emptied since does not make a name free for others.
   */
  given: ReadonlyMap<string, string>
}

/** What has to be done to publish a draft. */
export interface Decision {
  folder: string
  /** `undefined`: the newest manifest holds all of it. */
  manifest: Manifest | undefined
  /**
   * From prepared paths to final names. Without a new manifest these only restore files that went
   * missing.
   */
  moves: ReadonlyArray<{ from: string; name: string; sha256: string }>
}

/**
 * Decides what a draft means for a range (INV-9). A revision is a state of the data, and its
 * manifests are the table of contents of the range:
 *
 * - Nothing differs from the newest manifest: there is no new one, nothing is rewritten; another
 *   proof alone is no difference.
 * - What is asked for the first time joins the revision of its state, with a manifest of its own.
 * - Files that did not change stay listed under the name that they have. No file that was given out
 *   is written over: other bytes under the same number get another name.
 * - Parquet from another writer version with the same content counts as unchanged.
 */
export function decideRevision(draft: Draft, standing: Standing): Decision {
  const { folder, newest, present } = standing
  const states = statesAfter(draft.states, newest?.manifest)
  const revision = Math.max(...states.map(one => one.revision))
  const addition = newest?.manifest.revision === revision ? newest.manifest.addition + 1 : 1
  const moves: { from: string; name: string; sha256: string }[] = []
  let changed = newest === undefined
  const files = draft.files.map((file): ManifestFile => {
    const known = knownFile(newest?.manifest, file)
    if (known !== undefined && isSame(known, file) && present(known)) return known
    if (known?.sha256 === file.sha256) {
      moves.push({ from: file.preparedPath, name: known.path, sha256: file.sha256 })
      return known
    }
    changed = true
    const from = known?.revision === file.revision ? addition : 1
    const { preparedPath, mark: _mark, ...facts } = file
    const path = nameFor(draft, standing, file, from)
    moves.push({ from: preparedPath, name: path, sha256: file.sha256 })
    return { path, ...facts }
  })
  if (!changed) return { folder, manifest: undefined, moves }
  const carried = carriedOver(draft, newest?.manifest, states)
  const manifest: Manifest = {
    manifest: 2,
    schema: SCHEMA_VERSION,
    ...headerAfter(draft.header, newest?.manifest),
    revision,
    addition,
    states,
    people: draft.header.people,
    datasets: [...carried.datasets, ...draft.datasets],
    files: [...carried.files, ...files],
    proof: draft.header.proof,
    previous: newest === undefined ? null : { path: newest.name, sha256: newest.sha256 },
  }
  return { folder, manifest, moves }
}

/**
 * The same order of fields each time: the bytes of a manifest are hashed. The books of an earlier
 * manifest go on: nights look at a day as long as its newest one tells of books.
 */
function headerAfter(
  { tool, writer, store, days, range, currency, books: now }: Draft['header'],
  newest: Manifest | undefined,
) {
  const books = now ?? newest?.books
  return {
    tool,
    writer,
    store,
    days,
    range,
    ...(currency === undefined ? {} : { currency }),
    ...(books === undefined ? {} : { books }),
  }
}

/** Its own name, or the next of its number where others have that. */
const nameFor = (
  { header }: Draft,
  { given }: Standing,
  { dataset, revision, mark, format, sha256 }: Draft['files'][number],
  from: number,
): string =>
  freeName(
    given,
    from,
    addition =>
      exportName(
        dataset,
        header,
        { revision, addition },
        mark === undefined ? format : `${mark}.${format}`,
      ),
    () => sha256,
  )

/** The first name that was never given out, or for these very bytes. */
export function freeName(
  given: Standing['given'],
  from: number,
  nameOf: (addition: number) => string,
  sha256At: (addition: number) => string,
): string {
  for (let addition = from; ; addition++) {
    const name = nameOf(addition)
    const known = given.get(name)
    if (known === undefined || known === sha256At(addition)) return name
  }
}

/** The manifest's own number: the next whose name was not given out for another manifest. */
export function numberManifest(decision: Decision, given: Standing['given']): Decision {
  const { manifest } = decision
  if (manifest === undefined) return decision
  const numbered = (addition: number): Manifest => ({ ...manifest, addition })
  const name = freeName(
    given,
    manifest.addition,
    addition => exportName('manifest', manifest, { ...manifest, addition }, 'json'),
    addition => sha256Of(manifestText(numbered(addition))),
  )
  return { ...decision, manifest: numbered(additionOf(name)) }
}

/** Of a journal's files, the one of the same revision; of others, the newest. */
function knownFile(
  newest: Manifest | undefined,
  file: Pick<PreparedFile, 'dataset' | 'format' | 'revision'>,
): ManifestFile | undefined {
  const known = (newest?.files ?? []).filter(
    ({ dataset, format }) => dataset === file.dataset && format === file.format,
  )
  return (
    known.find(({ revision }) => revision === file.revision) ??
    known.toSorted((a, b) => a.revision - b.revision).at(-1)
  )
}

function isSame(known: ManifestFile, file: PreparedFile): boolean {
  if (known.sha256 === file.sha256) return true
  return (
    known.content !== undefined && known.content === file.content && known.writer !== file.writer
  )
}

function statesAfter(now: readonly StreamState[], newest: Manifest | undefined): StreamState[] {
  const carried = newest?.states ?? []
  return [...carried.filter(({ stream }) => !now.some(one => one.stream === stream)), ...now]
}

/**
 * What stays of the newest manifest. A list of changes belongs to the number of the books that made
 * them, whatever moves on beside them.
 */
function carriedOver(
  draft: Draft,
  newest: Manifest | undefined,
  states: readonly StreamState[],
): Pick<Manifest, 'datasets' | 'files'> {
  const streamOf = (dataset: string): string =>
    newest?.datasets.find(one => one.dataset === dataset)?.stream ?? ''
  const isKept = ({ dataset }: { dataset: string }): boolean =>
    !draft.renewed.includes(streamOf(dataset)) && draft.replaced?.includes(dataset) !== true
  const books = states.find(({ stream }) => stream === draft.booked)
  return {
    datasets: (newest?.datasets ?? []).filter(
      one => isKept(one) && !draft.datasets.some(({ dataset }) => dataset === one.dataset),
    ),
    files: (newest?.files ?? []).filter(one =>
      one.dataset === RESTATEMENT
        ? one.revision === books?.revision
        : isKept(one) &&
          !draft.files.some(
            ({ dataset, format }) => dataset === one.dataset && format === one.format,
          ),
    ),
  }
}
