import type { Notice } from '../../standing/notice.ts'
import { pathOf } from '../parts/data-table.ts'

/** Of records that no table takes: each is a case of its own, and no notice. */
export const DEAD_LETTER = 'dead_letter'

/** Where something is explained: the thing itself, where it has a page, else its cause. */
export function pageOfNotice({ kind, object }: Notice): string {
  if (object !== null && /^PLN?-/.test(object)) return pathOf('plans', object)
  if (object?.startsWith('AUD-') === true) return pathOf('audits', object)
  return pathOf('problems', kind === 'dead_letters' ? DEAD_LETTER : kind)
}
