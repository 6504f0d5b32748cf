import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Outcome } from '../outbound/outcome.ts'
import { outcomeOf } from '../outbound/outcome.ts'
import { uploadImage } from './api.ts'
import { imageType } from './input/images.ts'
import type { Image, Operation } from './operation.ts'
import type { StoreRun } from './store-run.ts'

/**
 * Uploads the pictures of an operation that this store does not have yet, each once. Undefined: all
 * are there. Otherwise nothing of the record itself was sent.
 */
export async function provideImages(
  run: StoreRun,
  planned: Operation,
): Promise<Outcome | undefined> {
  const images = planned.changes.flatMap(({ edits }) => edits.flatMap(edit => edit.images ?? []))
  for (const image of images) {
    if (run.known.assets.has(image.sha256)) continue
    const refused = await provide(run, image)
    if (refused !== undefined) return refused
  }
  return undefined
}

async function provide(run: StoreRun, image: Image): Promise<Outcome | undefined> {
  const bytes = await readFile(image.path).catch(() => undefined)
  const sha256 = createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
  if (bytes === undefined || sha256 !== image.sha256)
    return { kind: 'rejected', why: `${image.name} is not the picture that was planned any more` }
  try {
    const type = imageType(bytes) ?? 'application/octet-stream'
    const asset = await run.store.governor.run(() =>
      uploadImage(run.store.client, { name: image.name, type, bytes }),
    )
    await run.keepAsset(image.sha256, JSON.stringify(asset))
    return undefined
  } catch (error) {
    const outcome = outcomeOf(error)
    // Assets cannot be searched for; one that nobody refers to harms nobody, and is not sent again.
    return outcome.kind === 'unknown'
      ? { kind: 'rejected', why: `the upload of ${image.name} came to no answer: ${outcome.why}` }
      : outcome
  }
}
