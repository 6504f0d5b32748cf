import { openPostingHistory } from '../exports/posting-history.ts'
import type { PostingHistory } from '../exports/posting-history.ts'
import type { PagePlace } from './page.ts'

/** What was posted, for as long as a page is made. */
export async function withHistory<Answer>(
  { config }: Pick<PagePlace, 'config'>,
  read: (history: PostingHistory) => Promise<Answer>,
): Promise<Answer> {
  const history = await openPostingHistory(config.database, { readonly: true })
  try {
    return await read(history)
  } finally {
    await history.close()
  }
}
