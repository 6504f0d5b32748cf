/** Where something of a test listens: tests run beside each other, so no two may name one port. */
export const ANY_PORT = { listen: '127.0.0.1:0' } as const
