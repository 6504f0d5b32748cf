import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { writeOnce } from '../../outbound/write-once.ts'
import { sha256Of } from '../../sha256.ts'
import { planFolder } from '../load-plan.ts'
import type { Image, Operation } from '../operation.ts'
import type { Push } from '../push.ts'

/** A file in the folder of its plan, and for other machines in the database that they share. */
export async function keepDocument(
  { outbound, folder }: Pick<Push, 'outbound' | 'folder'>,
  plan: string,
  { name, bytes }: { name: string; bytes: string | Buffer },
): Promise<void> {
  writeOnce(join(planFolder(folder, plan), name), bytes)
  await outbound.documents?.keep({ folder: plan, name, bytes: Buffer.from(bytes) })
}

/** They lie where the file of the catalog is: on this machine alone. */
export async function keepPictures(
  { documents }: OutboundStore,
  plan: string,
  operations: readonly Operation[],
): Promise<void> {
  if (documents === undefined) return
  for (const image of picturesOf(operations)) {
    const bytes = await readHere(image)
    // One that was changed meanwhile is not sent either.
    if (bytes !== undefined)
      await documents.keep({ folder: picturesFolder(plan), name: image.sha256, bytes })
  }
}

/** The picture as it was planned; undefined: nobody has it any more. */
export async function readPicture(
  { documents }: OutboundStore,
  plan: string,
  image: Image,
): Promise<Buffer | undefined> {
  const here = await readHere(image)
  if (here !== undefined) return here
  return asPlanned(await documents?.read(picturesFolder(plan), image.sha256), image)
}

export const picturesOf = (operations: readonly Operation[]): Image[] =>
  operations.flatMap(({ changes }) =>
    changes.flatMap(({ edits }) => edits.flatMap(({ images }) => images ?? [])),
  )

const picturesFolder = (plan: string): string => `${plan}/pictures`

const readHere = async (image: Image): Promise<Buffer | undefined> =>
  asPlanned(await readFile(image.path).catch(() => undefined), image)

const asPlanned = (bytes: Buffer | undefined, { sha256 }: Image): Buffer | undefined =>
  bytes !== undefined && sha256Of(bytes) === sha256 ? bytes : undefined
