import { toMinute } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import { withTemporal } from '../../temporal/ask-temporal.ts'
import { deploymentOf, makeCurrent, moveWork, readReleases } from '../../temporal/deployment.ts'
import type { Deployment, Release } from '../../temporal/deployment.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'

function requireDeployment(config: Config): Deployment {
  const deployment = deploymentOf(config)
  if (deployment !== undefined) return deployment
  throw new UsageError(
    'tillage.yaml has no temporal.deployment, so any worker goes on with any work',
    'With a Temporal server of your own: temporal: { address: ..., deployment: { name: tillage } }',
  )
}

/** `tillage worker releases`: which there are, and what each has to end. */
export const listReleases = ({ config, terminal }: Context): Promise<number> => {
  const { name, buildId } = requireDeployment(config)
  return withTemporal(config, async asking => {
    const releases = await readReleases(asking, name)
    const all = { deployment: name, thisRelease: buildId, releases }
    terminal.print(terminal.json ? JSON.stringify(all) : describe(name, releases))
    return 0
  })
}

function describe(name: string, releases: readonly Release[]): string {
  if (releases.length === 0) return `no worker has said yet that it is of ${name}`
  return formatTable(
    ['release', 'new work', 'since (UTC)', 'work to end'],
    releases.map(({ buildId, isCurrent, currentSince, pinned }) => [
      buildId,
      isCurrent ? 'goes to it' : '',
      toMinute(currentSince ?? ''),
      String(pinned),
    ]),
  )
}

/** `tillage worker promote [RELEASE]`: new work goes to it from now on; default: this one. */
export function promote({ config, terminal }: Context, named?: string): Promise<number> {
  const { name, buildId } = requireDeployment(config)
  const release = named ?? buildId
  return withTemporal(config, async asking => {
    if (!(await readReleases(asking, name)).some(one => one.buildId === release))
      throw new UsageError(
        `no worker has said yet that it is release ${release} of ${name}; nothing was changed`,
        'Start one of it first. tillage worker releases shows those that there are.',
      )
    await makeCurrent(asking, { name, buildId: release })
    const releases = await readReleases(asking, name)
    terminal.print(
      terminal.json
        ? JSON.stringify({ deployment: name, thisRelease: buildId, releases })
        : `new work of ${name} goes to ${release}\n${describe(name, releases)}`,
    )
    return 0
  })
}

/** `tillage worker move RELEASE`: what it alone would end, the current one ends. */
export function move({ config, terminal }: Context, release?: string): Promise<number> {
  requireDeployment(config)
  if (release === undefined)
    throw new UsageError('no release was named', 'tillage worker releases lists them.')
  return withTemporal(config, async asking => {
    const moved = await moveWork(asking, release)
    terminal.print(
      terminal.json
        ? JSON.stringify({ release, moved })
        : [`the current release goes on with ${countOf(moved.length, 'run')}`, ...moved].join('\n'),
    )
    return 0
  })
}
