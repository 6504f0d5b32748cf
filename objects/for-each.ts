import pLimit from 'p-limit'

const AT_ONCE = 4

/** Some at a time; what has not begun when one fails is left out. Fails with the first failure. */
export async function forEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const limit = pLimit(AT_ONCE)
  const failures: unknown[] = []
  const begin = async (item: Item): Promise<void> => {
    if (failures.length > 0) return
    await work(item).catch((error: unknown) => void failures.push(error))
  }
  await Promise.all([...items].map(item => limit(begin, item)))
  if (failures.length > 0) throw failures[0]
}
