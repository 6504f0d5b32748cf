import type { Books } from '../activities/dependencies.ts'
import type { Config } from '../config.ts'
import { addDays } from '../connectors/window.ts'
import { chooseDatasets, chooseFormats } from './export.ts'
import { exportStore } from './export-store.ts'
import { openLedger } from './open-ledger.ts'

/** The files of a business day, by the same functions as `export` and `journal`, for the nightly workflow. */
export const createBooks =
  (config: Config): Books =>
  async ({ store, day, datasets, formats }, signal) => {
    const ledger = await openLedger(config)
    try {
      const days = { from: day, to: addDays(day, 1) }
      const { files, manifest } = await exportStore(config, ledger, { store, days, datasets: chooseDatasets(datasets), formats: chooseFormats(formats.join(',')), out: config.exports, includePeople: false }, () => {}, signal)
      return { files: files.length, manifests: [manifest] }
    } finally {
      await ledger.close()
    }
  }
