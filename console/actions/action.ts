import type { Role } from '../roles.ts'

/** What a person types or picks for an action; hidden fields say what the page was about. */
export type Field =
  | { name: string; kind: 'hidden'; needed?: true; isDay?: true; isId?: true }
  /** What the page says that it is about, for people to read. */
  | { name: string; kind: 'shown'; label: string }
  | { name: string; kind: 'text' | 'date'; label: string; optional?: true }
  /** An empty choice leaves it to the settings. */
  | { name: string; kind: 'choice'; label: string; choices: readonly string[] }
  /** One of the settings; optional: or all of them. */
  | { name: string; kind: 'store'; label: string; optional?: true }
  | { name: string; kind: 'files'; label: string; optional?: true }

/** The store that a page is about. */
export const STORE = { name: 'store', kind: 'hidden' } as const satisfies Field
export const REASON = { name: 'reason', kind: 'text', label: 'Why' } as const satisfies Field

/** What a form has sent, by the names of its fields; of files, the paths of their copies. */
export interface Given {
  value(name: string): string
  files(name: string): readonly string[]
  /** Who does it: the person who signed in, or the name that a user of the terminal typed. */
  by: string
}

/** Something that a person decides: each is a command of the program, and nothing else. */
export interface Action {
  /** In the address: `/do/close-month`. */
  name: string
  /** On its button. */
  title: string
  /** What will happen, said beforehand. */
  effect: string
  /** Who may do it, beside admins. */
  role: Exclude<Role, 'viewer' | 'admin'>
  /** It moves money or stock, or closes books: whoever does it has just typed a password. */
  asksPassword?: true
  /** Who prepared the plan does not approve it. */
  isApproval?: true
  /** Whoever asked for changes takes that back, and nobody else. */
  isWithdrawal?: true
  /** What it prints names the plan that it made. */
  makesPlan?: true
  /** What it says tells who people are: nobody reads it but whoever started it. */
  tellsOfPeople?: true
  /** A name goes into its command: who has none here types one. */
  namesPerson?: true
  fields: readonly Field[]
  /** The words of the command, without the name of the program. */
  command(given: Given): string[]
}

/** Which stores a field offers; an empty choice is all of them. */
export const storeChoices = (
  field: Extract<Field, { kind: 'store' }>,
  stores: readonly string[],
): string[] => [...(field.optional === true ? [''] : []), ...stores]

/** `--store downtown --from 2026-01-01`, of the fields of these names. */
export const flagsOf = (given: Given, ...names: string[]): string[] =>
  names.flatMap(name => [`--${name}`, given.value(name)])

/** The same of one field, and nothing where it is empty. */
export const optionOf = (given: Given, name: string): string[] =>
  given.value(name) === '' ? [] : flagsOf(given, name)

/** Who says it, and why. */
export const signed = (given: Given): string[] => ['--by', given.by, ...flagsOf(given, 'reason')]

export const mayDo = (role: Role, action: Action): boolean =>
  role === 'admin' || role === action.role
