import { resolve } from 'node:path'
import { placesToKeep } from '../backup/listed-files.ts'
import { makeBackup } from '../backup/make-backup.ts'
import type { Backup } from '../backup/make-backup.ts'
import { isObjectAddress } from '../objects/place.ts'
import { refuseServer } from './backup/refuse-server.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { countOf } from './terminal/number.ts'

interface BackupReport extends Backup {
  keepAlso: string[]
}

/** `tillage backup FILE`: all that must survive; with `--files` what was given out, too. */
async function backup(
  { config, terminal, signal }: Context,
  { files: wantsFiles = false }: { files?: boolean },
  name: string,
): Promise<number> {
  refuseServer(config, 'backup')
  const { progress, log } = terminal
  const made = await makeBackup(config, { file: resolve(name), wantsFiles, signal, progress, log })
  const others = placesToKeep(config)
  const isLeft = (place: string): boolean => !wantsFiles || isObjectAddress(place)
  const report = { ...made, keepAlso: others.filter(isLeft) }
  terminal.print(terminal.json ? JSON.stringify(report) : describe(report))
  return 0
}

const describe = ({
  file,
  memberSecret,
  windows,
  bytes,
  settings,
  list,
  files,
  keepAlso,
}: BackupReport): string =>
  [
    `${file}: ${countOf(windows, 'window')}, ${(bytes / 1e6).toFixed(1)} MB; integrity check passed`,
    memberSecret === null
      ? 'there is no member secret yet: the first export with members makes it'
      : `${memberSecret}: the member secret; keep both together`,
    `${settings}: tillage.yaml without keys`,
    keepAlso.some(place => !isObjectAddress(place)) || files === 0
      ? `${list}: ${countOf(files, 'file')} that it knows, with their hashes`
      : `${list}: ${countOf(files, 'file')} that it knows; they are in the folder beside it`,
    '',
    'Not in the backup; keep these yourself:',
    ...keepAlso.map(place =>
      isObjectAddress(place)
        ? `  ${place}: what was given out, audits included`
        : `  ${place}: the files themselves (tillage backup --files takes them)`,
    ),
    '  the keys',
  ].join('\n')

export const command = declareCommand({
  takes: '<file>',
  options: [option('--files', 'also copy exports and plans, not only their hashes')],
  notes: 'Safe beside a running sync; never overwrites a file.',
  storeless: true,
  run: backup,
})
