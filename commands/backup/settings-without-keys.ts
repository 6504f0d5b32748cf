import { readFileSync } from 'node:fs'
import { isScalar, parseDocument, visit } from 'yaml'
import { withoutSecrets } from '../../secrets.ts'

/** What settings call what nobody else may know. */
const SECRET = /key$|password|secret|token|smtp|url$/i

const VARIABLE = /^\$\{\w+\}$/

/** `partnerKey` as `${TILLAGE_PARTNER_KEY}`. */
const variableOf = (name: string): string =>
  `\${TILLAGE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}}`

/** Beside a backup: the settings that its database was made by. */
export const settingsPath = (backup: string): string => `${backup}.settings.yaml`

/**
 * `tillage.yaml` as somebody wrote it, without keys: a value that stands in the file itself is
 * replaced, the name of a variable stays. Comments stay, too.
 */
export function settingsWithoutKeys(file: string): string {
  const document = parseDocument(readFileSync(file, 'utf8'), { logLevel: 'error' })
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value)) return
      const name = String(key.value)
      if (name === 'baseUrl' || !SECRET.test(name)) return
      if (!VARIABLE.test(String(value.value))) value.value = variableOf(name)
    },
  })
  return withoutSecrets(String(document))
}
