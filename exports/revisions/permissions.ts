import { chmodSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ExportOrder } from '../request.ts'
import { manifestsIn } from './manifest.ts'

/**
 * Files with people stay their owner's alone, whatever the configuration says of the others. Every
 * run looks at all that was given out of the range: one before it may have died just before this.
 */
export function openToOthers(order: ExportOrder, folder: string): void {
  const { out, mode, includePeople } = order
  if (mode === undefined || includePeople === true) return
  const manifests = manifestsIn(folder, order)
  const named = manifests.flatMap(({ manifest }) => manifest.files.map(({ path }) => path))
  for (const name of new Set([...named, ...manifests.map(manifest => manifest.name)]))
    giveMode(join(folder, name), mode)
  // Who may read may look into the folder, too.
  const folderMode = mode | ((mode & 0o444) >> 2)
  const root = resolve(out)
  for (let path = resolve(folder); ; path = dirname(path)) {
    giveMode(path, folderMode)
    if (path === root) return
  }
}

/**
 * What has its mode already may be another user's; what is gone need not be opened. A folder that
 * hands its group on to what is made in it (setgid) goes on doing so.
 */
function giveMode(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & PERMISSIONS) === mode) return
  chmodSync(path, mode | (found.mode & ~PERMISSIONS & 0o7777))
}

const PERMISSIONS = 0o777
