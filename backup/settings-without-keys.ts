import { isNode, isPair, isScalar, isSeq, parseDocument, visit, YAMLSeq } from 'yaml'
import type { Document, Node } from 'yaml'
import type { WrittenSettings } from '../config.ts'
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
 * `tillage.yaml` as somebody wrote it, with the stores of other files in it, and without keys: a
 * value that stands in the file itself is replaced, the name of a variable stays. Comments stay,
 * too, without the keys of what they comment out.
 */
export function settingsWithoutKeys({ text, storeFiles }: Written): string {
  const document = parse(text)
  if (storeFiles.length > 0) putStoresIn(document, storeFiles)
  visit(document, {
    Scalar(role, scalar, ancestors) {
      if (role === 'key' || VARIABLE.test(String(scalar.value))) return
      const path = ancestors.flatMap(stepOf)
      if (isSecretAt(path)) scalar.value = variableOf(String(path.findLast(isName)))
    },
  })
  return withoutSecrets(String(document).replaceAll(COMMENT, withoutCommentedKeys))
}

type Written = Pick<WrittenSettings, 'text' | 'storeFiles'>

const parse = (text: string): Document => parseDocument(text, { logLevel: 'error' })

/** One file is enough to start again, so stores stand where their files were named. */
function putStoresIn(document: Document, files: Written['storeFiles']): void {
  const named = document.get('stores', true)
  const entries = isSeq(named) ? named.items : [named]
  const stores = new YAMLSeq()
  stores.items = entries.flatMap((entry, at) =>
    isScalar(entry) ? files.filter(file => file.entry === at).flatMap(storesOf) : [entry],
  )
  document.set('stores', stores)
}

/** The first of a file says where it stood. */
function storesOf({ name, text }: Written['storeFiles'][number]): Node[] {
  const { commentBefore, contents } = parse(text)
  const stores: unknown[] = isSeq(contents) ? contents.items : [contents]
  const [first, ...others] = stores.filter(isNode)
  if (first === undefined) return []
  const comments = [` ${name}`, commentBefore, first.commentBefore]
  first.commentBefore = comments.filter(comment => typeof comment === 'string').join('\n')
  return [first, ...others]
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
