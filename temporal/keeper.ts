/**
 * The small process that owns a folder's Temporal server, so that the server outlives the command
 * that started it and not the last command that uses it. Started by `useEmbeddedServer`; arguments:
 * the folder, the CLI and, for a web UI, `--web-ui`.
 */
import { keepServer } from './keep-server.ts'

const [folder, cli, webUi] = process.argv.slice(2)
if (folder === undefined || cli === undefined) {
  console.error('usage: keeper FOLDER CLI [--web-ui]; it is started by Tillage itself')
  process.exitCode = 2
} else {
  await keepServer({ folder, cli, hasWebUi: webUi === '--web-ui' })
}
