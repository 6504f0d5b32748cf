import type { Option } from 'commander'
import type { Config } from '../../config.ts'
import type { CountRules } from '../../reconcile/make-plan.ts'
import { option } from '../command.ts'

/** For commands that read a table that somebody hands in. */
export const ignoreColumns = (): Option =>
  option('--ignore-columns <names>', 'your own columns, separated by commas')

/** Those of the command, and those of tillage.yaml. */
export const ignoredColumns = (
  { ignoreColumns: configured }: { ignoreColumns: readonly string[] },
  named = '',
): string[] => [...configured, ...named.split(',').map(name => name.trim())]

export const countRules = ({ reconcile }: Config, named: string | undefined): CountRules => ({
  reasons: { reasons: reconcile.reasons, isRequired: reconcile.requiresReasons },
  ignored: ignoredColumns(reconcile, named),
})
