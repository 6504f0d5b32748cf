import type { Outcome } from '../../outbound/outcome.ts'
import { outcomeOf } from '../../outbound/outcome.ts'
import { isKeyRefused, uploadImage } from '../api.ts'
import { imageType } from '../input/images.ts'
import type { Image, Operation } from '../operation.ts'
import { picturesOf } from '../plan/keep-documents.ts'
import type { StoreRun } from './store-run.ts'

/**
 * Uploads the pictures of an operation that this store does not have yet, each once. Undefined: all
 * are there. Otherwise nothing of the record itself was sent.
 */
export async function provideImages(
  run: StoreRun,
  planned: Operation,
): Promise<Outcome | undefined> {
  for (const image of picturesOf([planned])) {
    if (run.known.assets.has(image.sha256)) continue
    const refused = await provide(run, image)
    if (refused !== undefined) return refused
  }
  return undefined
}

async function provide(run: StoreRun, image: Image): Promise<Outcome | undefined> {
  const bytes = await run.readPicture(image)
  if (bytes === undefined)
    return { kind: 'rejected', why: `${image.name} is not the picture that was planned any more` }
  return joinUpload(run, image.sha256, () => upload(run, image, bytes))
}

/** Operations that share a picture share its upload: a second one would replace the record's id. */
function joinUpload(
  { uploads }: StoreRun,
  sha256: string,
  start: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const running = uploads.get(sha256)
  if (running !== undefined) return running
  const started = start().finally(() => uploads.delete(sha256))
  uploads.set(sha256, started)
  return started
}

async function upload(run: StoreRun, image: Image, bytes: Buffer): Promise<Outcome | undefined> {
  try {
    const type = imageType(bytes) ?? 'application/octet-stream'
    const asset = await run.store.governor.run(() =>
      uploadImage(run.store.client, { name: image.name, type, bytes }),
    )
    await run.keepAsset(image.sha256, JSON.stringify(asset))
    return undefined
  } catch (error) {
    if (isKeyRefused(error)) run.fail(error)
    const outcome = outcomeOf(error)
    const why = `${image.name} was not uploaded: ${outcome.why}`
    // A picture that nobody refers to harms nobody: an upload without an answer is made again.
    return outcome.kind === 'unknown' ? { kind: 'not taken', why } : { ...outcome, why }
  }
}
