import type { GivenOut } from '../connectors/destination/given-out.ts'
import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { addressOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

type Remembered = Pick<GivenOut, 'rememberFiles' | 'forgetFiles' | 'givenIn' | 'keepManifest'>

/**
 * The same memory, for whoever works in the mirror: the database knows addresses, by which other
 * machines find what was given out.
 */
export const inAddresses = <Memory extends Remembered>(
  kept: Memory,
  place: ObjectPlace,
): Memory => ({
  ...kept,
  ...manifestsInAddresses(kept, place),
  rememberFiles: files =>
    kept.rememberFiles(files.map(file => ({ ...file, path: addressOf(place, file.path) }))),
  forgetFiles: paths => kept.forgetFiles(paths.map(path => addressOf(place, path))),
  givenIn: folder => kept.givenIn(addressOf(place, folder)),
})

export const manifestsInAddresses = (
  log: ManifestLog,
  place: ObjectPlace,
): Pick<ManifestLog, 'keepManifest'> => ({
  keepManifest: manifest =>
    log.keepManifest({ ...manifest, folder: addressOf(place, manifest.folder) }),
})
