/**
 * The one place that takes keys out of texts. Whoever reads a key (`config.ts`) says so here; every
 * error of ours (`errors.ts`), what a terminal shows of others, and what leaves an activity pass
 * by.
 */
const known = new Set<string>()

/** Shorter ones are words of ordinary messages, and no keys that anybody gives out. */
const SHORTEST_KEY = 12

export function rememberSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= SHORTEST_KEY) known.add(secret)
}

/** A text without any key that this process knows. */
export const withoutSecrets = (text: string): string =>
  known.size === 0 ? text : mask(text, [...known])

/** Takes secrets out of a text, however whoever echoed them wrote them down. */
export function mask(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap(secret => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('base64'),
  ])
  return [...new Set(written)]
    .filter(one => one !== '')
    .toSorted((one, other) => other.length - one.length)
    .reduce(
      (masked, one) =>
        masked.replaceAll(new RegExp(one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), '***'),
      text,
    )
}
