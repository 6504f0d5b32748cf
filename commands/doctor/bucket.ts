import type { Config } from '../../config.ts'
import { TillageError } from '../../errors.ts'
import { formatError } from '../terminal/error.ts'

/** What exports would find at their bucket. */
export interface BucketDiagnosis {
  /** Its address. */
  url: string
  /** The object that was tried with is gone again; else the keys may not remove it. */
  isRemoved: boolean
  trouble: TillageError | undefined
}

/** Undefined: exports lie in a folder. */
export async function diagnoseBucket({
  objects,
}: Pick<Config, 'objects'>): Promise<BucketDiagnosis | undefined> {
  if (objects === undefined) return undefined
  const { probeBucket } = await import('../../objects/probe.ts')
  const { url } = objects
  try {
    return { url, trouble: undefined, ...(await probeBucket(objects)) }
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    return { url, trouble: error, isRemoved: false }
  }
}

/** Empty where there is none. */
export function describeBucket(diagnosis: BucketDiagnosis | undefined): string {
  if (diagnosis === undefined) return ''
  const { url, isRemoved, trouble } = diagnosis
  if (trouble !== undefined)
    return `${url}: exports cannot be given out there\n${formatError(trouble)}`
  const left = isRemoved ? '' : '; the keys may not remove objects, so one named .probe stays'
  return `${url}: can be looked at, written and read, and writes nothing over${left}`
}
