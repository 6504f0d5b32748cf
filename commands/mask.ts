/**
 * Takes secrets out of a text before it is printed, however whoever echoed them wrote them down.
 */
export function mask(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap(secret => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('base64'),
  ])
  return written
    .filter((one, at) => one !== '' && written.indexOf(one) === at)
    .sort((one, other) => other.length - one.length)
    .reduce(
      (masked, one) =>
        masked.replaceAll(new RegExp(one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), '***'),
      text,
    )
}
