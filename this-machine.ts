/** Whether a host, as it stands in an address, is this machine itself: nobody else hears it. */
export const isThisMachine = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host)

/** Without TLS, and not to this machine itself. */
export function isOpenLine(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && !isThisMachine(url.hostname)
}

/** Where others reach this machine: https, and plain http on it alone, so that it can be tried. */
export function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  const isHere = isThisMachine(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
}
