/** Loads windows one after another, and says so; killed at any moment by `destination.test.ts`. */
import { streams } from '../../../connectors/partner/streams/index.ts'
import { openConnection } from '../../../connectors/sqlite/database.ts'
import { createWindowStore } from '../../../connectors/sqlite/window-store.ts'
import { commitWindow, WINDOWS } from './made-up-windows.ts'

const connection = openConnection(process.argv[2]!)
const store = createWindowStore(connection, streams)
process.stdout.write('ready\n')
for (let window = 0; window < WINDOWS; window++) commitWindow(connection, store, window)
process.stdout.write('done\n')
