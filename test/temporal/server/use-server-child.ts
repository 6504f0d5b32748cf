import { useEmbeddedServer } from '../../../temporal/server/embedded-server.ts'

// Uses the server of the folder until it is told to release it, or is killed.
const say = (document: object) => process.stdout.write(`${JSON.stringify(document)}\n`)
const { address, release } = await useEmbeddedServer({
  folder: process.argv[2]!,
  progress: progress => say({ progress }),
})
say({ address })
process.stdin.once('data', () => {
  void release().then(() => {
    say({ released: true })
    process.stdin.destroy()
  })
})
