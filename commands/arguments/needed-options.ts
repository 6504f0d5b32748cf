import { UsageError } from '../../errors.ts'
import type { AnyCommand } from '../command.ts'

/** An option that would mean nothing is a mistake of who typed it and expects something of it. */
export function refuseAlone({ needs = {} }: AnyCommand, options: Record<string, unknown>): void {
  for (const [name, others] of Object.entries(needs))
    if (isGiven(options[name]) && !others.some(other => isGiven(options[other])))
      throw new UsageError(
        `${flagOf(name)} belongs to ${others.map(flagOf).join(' or ')}`,
        'Give both, or none of them.',
      )
}

/** The same for options that are of another action of the same command. */
export function refuseUnused<Options extends object>(
  action: string,
  options: Options,
  unused: readonly (keyof Options & string)[],
): void {
  for (const name of unused)
    if (isGiven(options[name]))
      throw new UsageError(`${action} takes no ${flagOf(name)}`, 'Leave it out.')
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== false

/** `--not-sent` of `notSent`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
