/**
 * Keeps a folder's Temporal server, so that it outlives the command that started it and not the
 * last command that uses it. Started by `start-keeper.ts`; arguments: the folder and the CLI.
 */
import { finished } from 'node:stream/promises'
import { keepServer } from './keep-server.ts'
import { serverFolder } from './server-folder.ts'

const [folder, cli] = process.argv.slice(2)
if (folder === undefined || cli === undefined) {
  console.error('usage: keeper FOLDER CLI; it is started by Tillage itself')
  process.exitCode = 2
} else {
  // Whoever starts a keeper names it in the record, and then closes this pipe.
  await finished(process.stdin.resume())
  await keepServer(serverFolder(folder), cli)
}
