import { maySeeFile } from '../given-files.ts'
import type { Person } from '../sessions.ts'
import { link, pathOf } from './data-table.ts'
import type { Cell } from './data-table.ts'

/** A file of an audit, by its path inside: it leads nobody to a refusal. */
export function auditFile(
  person: Person,
  { audit, file }: { audit: string; file: string },
  text: string = file,
): Cell {
  const show = `${text} (needs the role compliance or admin)`
  if (!maySeeFile(person, file)) return { text, show }
  return link(pathOf('audits', audit, 'files', ...file.split('/')), text)
}
