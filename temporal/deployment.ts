import type { WorkerOptions } from '@temporalio/worker'
import { toIso } from '../calendar/days.ts'
import { VERSION } from '../version.ts'
import { codeOf, NOT_FOUND } from './grpc-codes.ts'
import { listOpenWork } from './open-work.ts'
import type { Asking } from './open-work.ts'
import type { ConfiguredDeployment, ConfiguredTemporal } from './settings.ts'

/** All releases of the workers of a namespace under one name, and which one this process is. */
export interface Deployment {
  name: string
  buildId: string
}

/** Undefined: workers do not say which release they are, and any of them goes on with any work. */
export const deploymentOf = ({
  temporal,
}: Pick<ConfiguredTemporal, 'temporal'>): Deployment | undefined =>
  temporal === 'embedded' || temporal.deployment === undefined
    ? undefined
    : named(temporal.deployment)

const named = ({ name, buildId = VERSION }: ConfiguredDeployment): Deployment => ({ name, buildId })

/** What begins under a release ends under it, unless its workflow says otherwise. */
export const ofDeployment = ({
  name: deploymentName,
  buildId,
}: Deployment): Pick<WorkerOptions, 'workerDeploymentOptions'> => ({
  workerDeploymentOptions: {
    version: { deploymentName, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  },
})

/** One that workers have said they are of. */
export interface Release {
  buildId: string
  /** New work goes to it. */
  isCurrent: boolean
  /** ISO; null: it is not. */
  currentSince: string | null
  /** Work that it alone goes on with. */
  pinned: number
}

/** Every release that Temporal knows, the newest first. */
export async function readReleases(asking: Asking, name: string): Promise<Release[]> {
  const info = await askDeployment(asking, name)
  const open = await listOpenWork(asking)
  const current = info?.routingConfig?.currentDeploymentVersion?.buildId
  return (info?.versionSummaries ?? [])
    .toSorted((one, other) => seconds(other.createTime) - seconds(one.createTime))
    .map(({ deploymentVersion, currentSinceTime }) => {
      const buildId = deploymentVersion?.buildId ?? ''
      return {
        buildId,
        isCurrent: buildId === current,
        currentSince: currentSinceTime ? toIso(seconds(currentSinceTime) * 1_000) : null,
        pinned: open.filter(({ pinnedTo }) => pinnedTo === buildId).length,
      }
    })
}

const seconds = (time: { seconds?: unknown } | null | undefined): number =>
  Number(time?.seconds ?? 0)

async function askDeployment({ workflowService, options }: Asking, deploymentName: string) {
  const { namespace } = options
  try {
    const said = await workflowService.describeWorkerDeployment({ namespace, deploymentName })
    return said.workerDeploymentInfo
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return undefined
    throw error
  }
}

/** The release to which new work goes; undefined: there is none yet. */
export async function currentRelease(asking: Asking, name: string): Promise<string | undefined> {
  const info = await askDeployment(asking, name)
  return info?.routingConfig?.currentDeploymentVersion?.buildId || undefined
}

/** From now on new work goes to this release, also where no worker of it is up yet. */
export async function makeCurrent(
  { workflowService, options: { namespace } }: Asking,
  { name: deploymentName, buildId }: Deployment,
): Promise<void> {
  await workflowService.setWorkerDeploymentCurrentVersion({
    namespace,
    deploymentName,
    buildId,
    allowNoPollers: true,
    ignoreMissingTaskQueues: true,
  })
}

/** What a release alone goes on with, the current one goes on with; answers what it was. */
export async function moveWork(asking: Asking, buildId: string): Promise<string[]> {
  const { namespace } = asking.options
  const moved = (await listOpenWork(asking)).filter(({ pinnedTo }) => pinnedTo === buildId)
  for (const { workflowId, runId } of moved)
    await asking.workflowService.updateWorkflowExecutionOptions({
      namespace,
      workflowExecution: { workflowId, runId },
      workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
      updateMask: { paths: ['versioning_override'] },
    })
  return moved.map(({ workflowId }) => workflowId)
}
