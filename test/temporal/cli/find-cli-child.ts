import { findTemporalCli } from '../../../temporal/cli/find-cli.ts'

const say = (document: object) => process.stdout.write(`${JSON.stringify(document)}\n`)
const [cacheFolder, downloadFrom, path] = process.argv.slice(2)
const found = await findTemporalCli({
  progress: progress => say({ progress }),
  env: { PATH: path },
  cacheFolder: cacheFolder!,
  downloadFrom: downloadFrom!,
})
say({ found })
