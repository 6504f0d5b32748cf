/**
 * Keeps a folder's Temporal server for as long as somebody uses it (`keep-server.ts`). Started by
 * `embedded-server.ts`; arguments: the folder, the CLI, and `ui` for a server with its web UI.
 */
import { keepServer } from './keep-server.ts'
import { serverFolder } from './server-folder.ts'

const [folder, cli, ui] = process.argv.slice(2)
if (folder === undefined || cli === undefined) {
  console.error('usage: keeper FOLDER CLI [ui]; it is started by Tillage itself')
  process.exit(2)
}
// Its end lets the last users go, who wait for it.
process.exit(await keepServer(serverFolder(folder), { cli, hasWebUi: ui === 'ui' }))
