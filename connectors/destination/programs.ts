/** A program that works by settings until it is ended: `up`. */
export interface Program {
  machine: string
  pid: number
  /** What tells it from a later process of the same number; empty where the system does not say. */
  processStarted: string
  /** When it took its settings up; ISO, UTC. */
  at: string
  /** By section of `tillage.yaml`, a hash of what it works by. */
  settings: Readonly<Record<string, string>>
  /** Why it could not take up the settings that came later. */
  problem: string | undefined
}

export interface Programs {
  /** Inserts or replaces it by its machine and number. */
  keep(program: Program): Promise<void>
  /** Also those that were killed. */
  all(): Promise<Program[]>
  forget(program: Pick<Program, 'machine' | 'pid'>): Promise<void>
}
