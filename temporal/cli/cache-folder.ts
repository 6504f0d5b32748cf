import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Where the Temporal CLI and compiled code are kept between commands and clones: `TILLAGE_CACHE`,
 * else the user's cache folder.
 */
export function resolveCacheFolder(env: NodeJS.ProcessEnv): string {
  const { TILLAGE_CACHE, XDG_CACHE_HOME } = env
  if (TILLAGE_CACHE !== undefined && TILLAGE_CACHE !== '') return TILLAGE_CACHE
  const base =
    XDG_CACHE_HOME !== undefined && XDG_CACHE_HOME !== ''
      ? XDG_CACHE_HOME
      : join(homedir(), '.cache')
  return join(base, 'tillage')
}
