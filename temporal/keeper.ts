/**
 * The small process that owns a folder's Temporal server, so that the server outlives the command
 * that started it and not the last command that uses it. Started by `useEmbeddedServer`; arguments:
 * the folder and the CLI.
 */
import { keepServer } from './keep-server.ts'

const [folder, cli] = process.argv.slice(2)
if (folder === undefined || cli === undefined) {
  console.error('usage: keeper FOLDER CLI; it is started by Tillage itself')
  process.exitCode = 2
} else {
  await keepServer(folder, cli)
}
