/** Loads windows one after another, and says so; killed at any moment by `destination.test.ts`. */
import { streams } from '../../../../connectors/partner/streams/index.ts'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { createCheckpoints } from '../../../../connectors/sqlite/writer/checkpoints.ts'
import { createStagingStore } from '../staging-store.ts'
import { commitWindow, WINDOWS } from '../window/made-up-windows.ts'

const connection = openConnection(process.argv[2]!)
const store = createStagingStore(connection, streams)
// A checkpoint after each window, by the thread or by this one.
const checkpoints = createCheckpoints(connection, { backlogBytes: 1, longestBytes: 4_000_000 })
process.stdout.write('ready\n')
for (let window = 0; window < WINDOWS; window++) {
  commitWindow(store, window)
  checkpoints.afterCommit()
}
checkpoints.close()
process.stdout.write('done\n')
