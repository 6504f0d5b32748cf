import { readFileSync } from 'node:fs'
import { isScalar, parseDocument, visit } from 'yaml'
import { withoutSecrets } from '../../secrets.ts'

/** What settings call what nobody else may know. */
const SECRET = /key$|password|secret|token|smtp|url$/i

const isSecret = (name: string): boolean => name !== 'baseUrl' && SECRET.test(name)

const COMMENT = /#.*$/gm

/** A setting that somebody commented out: its key may still be one. */
const COMMENTED_OUT = /(\w*(?:key|password|secret|token|smtp|url)\w*)(["']?\s*:\s*)(\S+)/gi

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
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value)) return
      const name = String(key.value)
      if (!isSecret(name)) return
      if (!VARIABLE.test(String(value.value))) value.value = variableOf(name)
    },
  })
  return withoutSecrets(String(document).replaceAll(COMMENT, withoutCommentedKeys))
}

const withoutCommentedKeys = (comment: string): string =>
  comment.replaceAll(COMMENTED_OUT, (setting: string, name: string, colon: string, value: string) =>
    isSecret(name) && !VARIABLE.test(value) ? `${name}${colon}${variableOf(name)}` : setting,
  )
