import { readFileSync } from 'node:fs'
import { isPair, isScalar, isSeq, parseDocument, visit } from 'yaml'
import { isSecretAt, secretNames } from '../config/secrets.ts'
import { withoutSecrets } from '../secrets.ts'

const COMMENT = /#.*$/gm

/** A setting that somebody commented out: its key may still be one. */
const COMMENTED_OUT = new RegExp(`\\b(${[...secretNames()].join('|')})(["']?\\s*:\\s*)(\\S+)`, 'g')

const VARIABLE = /^\$\{\w+\}$/

/** `partnerKey` as `${TILLAGE_PARTNER_KEY}`. */
const variableOf = (name: string): string =>
  `\${TILLAGE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}}`

/** Beside a backup: the settings that its database was made by. */
export const settingsPath = (backup: string): string => `${backup}.settings.yaml`

/**
 * `tillage.yaml` as somebody wrote it, without keys: a value that stands in the file itself is
 * replaced, the name of a variable stays. Comments stay, too, without the keys of what they comment
 * out.
 */
export function settingsWithoutKeys(file: string): string {
  const document = parseDocument(readFileSync(file, 'utf8'), { logLevel: 'error' })
  visit(document, {
    Scalar(role, scalar, ancestors) {
      if (role === 'key' || VARIABLE.test(String(scalar.value))) return
      const path = ancestors.flatMap(stepOf)
      if (isSecretAt(path)) scalar.value = variableOf(String(path.findLast(isName)))
    },
  })
  return withoutSecrets(String(document).replaceAll(COMMENT, withoutCommentedKeys))
}

/** What an ancestor of a value adds to its place; that of an entry of a list is any number. */
function stepOf(ancestor: unknown): PropertyKey[] {
  if (isSeq(ancestor)) return [0]
  return isPair(ancestor) && isScalar(ancestor.key) ? [String(ancestor.key.value)] : []
}

const isName = (step: PropertyKey): boolean => typeof step === 'string'

const withoutCommentedKeys = (comment: string): string =>
  comment.replaceAll(COMMENTED_OUT, (setting: string, name: string, colon: string, value: string) =>
    VARIABLE.test(value) ? setting : `${name}${colon}${variableOf(name)}`,
  )
