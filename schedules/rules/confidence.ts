/** What a sample says of the whole, as pure functions. */

/** ln n!, by Stirling's series where n is large; exact to more digits than are ever shown. */
function lnFactorial(n: number): number {
  if (n < 20)
    return Array.from({ length: n }, (_, index) => Math.log(index + 1)).reduce(
      (sum, value) => sum + value,
      0,
    )
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3)
}

/** Probability of at most `found` wrong ones in a sample of `seen`, if `rate` of all are wrong. */
export function atMost(found: number, seen: number, rate: number): number {
  if (found >= seen || rate <= 0) return 1
  if (rate >= 1) return 0
  let sum = 0
  for (let count = 0; count <= found; count++) {
    sum += Math.exp(
      lnFactorial(seen) -
        lnFactorial(count) -
        lnFactorial(seen - count) +
        count * Math.log(rate) +
        (seen - count) * Math.log1p(-rate),
    )
  }
  return Math.min(1, sum)
}

/**
 * The rate of wrong ones that is not exceeded, with this confidence: Clopper and Pearson's exact
 * one-sided bound (1934). With none found it is about 3 / seen at 95 % ("rule of three"). What is
 * counted must be drawn one by one: records, or days, but not the rows of a day, which are drawn
 * together.
 */
export function rateBound(found: number, seen: number, confidence = 0.95): number {
  if (seen === 0 || found >= seen) return 1
  if (found === 0) return 1 - (1 - confidence) ** (1 / seen)
  let [low, high] = [found / seen, 1]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (atMost(found, seen, middle) > 1 - confidence) low = middle
    else high = middle
  }
  return high
}
