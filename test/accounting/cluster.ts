import { onTestFinished } from 'vitest'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import type { Connected } from '../../temporal/session.ts'
import { connect } from '../../worker.ts'
import { OBJECT_KEYS, startObjectServer } from '../helpers/object-server.ts'
import type { Asked, Happening, ObjectServer } from '../helpers/object-server.ts'
import { Project, startWorker } from '../helpers/project.ts'
import type { Worker } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

/** What each machine does: two that read, one that gives files out, one that does everything. */
const ROLES = ['read,write', 'read,write', 'read,export', 'all'] as const

/** A machine was killed. */
export interface Killed {
  atMs: number
  /** When another one did the next thing after that. */
  next: Promise<number>
}

interface Machine {
  project: Project
  role: string
  worker?: Worker
}

/**
 * Workers that share a database on a server, a namespace and a bucket, each with a folder of its
 * own; and an office that gives them work and takes none.
 */
export class Cluster {
  readonly office: Project
  readonly config: Config
  readonly server: ObjectServer
  connected!: Connected
  private readonly machines: Machine[]

  private constructor(server: ObjectServer, [office, ...projects]: [Project, ...Project[]]) {
    this.server = server
    this.office = office
    this.config = configOf(office)
    this.machines = projects.map((project, index) => ({ project, role: ROLES[index]! }))
  }

  /** Of these settings; ends with the test. */
  static async start(stores: readonly object[], settings: object): Promise<Cluster> {
    const server = await startObjectServer()
    const { endpoint } = server
    const exports = { url: 's3://books/tillage', endpoint, region: 'us-east-1', pathStyle: true }
    const temporal = await ownNamespace()
    const office = new Project(temporal)
    await office.chooseDatabase('PostgreSQL')
    const projects = ROLES.map(() => new Project(temporal))
    for (const [index, project] of [office, ...projects].entries()) {
      onTestFinished(() => project.remove())
      project.shareDatabaseOf(office)
      project.configure(stores, { ...settings, exports })
      // Any keys will do for the bucket: these say who asks.
      project.environment = { ...OBJECT_KEYS, AWS_ACCESS_KEY_ID: `machine-${index - 1}` }
    }
    const cluster = new Cluster(server, [office, ...projects])
    await cluster.startKilled()
    cluster.connected = await connect(cluster.config, () => {})
    onTestFinished(() => cluster.connected.close())
    return cluster
  }

  /** Every worker that is not up. */
  async startKilled(): Promise<void> {
    const down = this.machines.filter(({ worker }) => worker?.signalCode !== null)
    await Promise.all(
      down.map(async machine => {
        machine.worker = await startWorker(machine.project, '--role', machine.role)
      }),
    )
  }

  kill(index: number): void {
    this.machines[index]!.worker!.kill('SIGKILL')
  }

  /** Kills the one that next puts an object with this in its name, before it is there or after. */
  killWriterOf(name: string, side: 'before' | 'after'): Promise<Killed> {
    return new Promise(resolve => {
      this.server.happens = (asked): Happening => {
        const index = machineOf(asked)
        if (asked.method !== 'PUT' || !asked.key.includes(name) || index === undefined)
          return 'pass'
        const next = this.nextPutBut(index)
        const die = (): void => {
          this.kill(index)
          resolve({ atMs: Date.now(), next })
        }
        if (side === 'after') return die
        die()
        return 'cut'
      }
    })
  }

  /** When another machine puts something. */
  private nextPutBut(index: number): Promise<number> {
    return new Promise(resolve => {
      this.server.happens = (asked): Happening => {
        if (asked.method === 'PUT' && machineOf(asked) !== index) resolve(Date.now())
        return 'pass'
      }
    })
  }

  /** Tells all that are up to stop, and answers their exit statuses. */
  stop(): Promise<(number | null)[]> {
    const up = this.machines.filter(({ worker }) => worker?.signalCode === null)
    return Promise.all(
      up.map(async ({ worker }) => {
        worker!.kill('SIGTERM')
        return (await worker!.outcome).status
      }),
    )
  }
}

export const configOf = ({ folder }: Project): Config => loadConfig(`${folder}/tillage.yaml`)

function machineOf({ headers }: Asked): number | undefined {
  const [, index] = /Credential=machine-(\d+)\//.exec(headers.authorization ?? '') ?? []
  return index === undefined ? undefined : Number(index)
}
