/** Whether a host, as it stands in an address, is this machine itself: nobody else hears it. */
export const isThisMachine = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host)
