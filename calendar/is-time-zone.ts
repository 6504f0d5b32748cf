/** Whether a name is an IANA time zone that this Node knows: `America/Los_Angeles`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
