import { recordUnproven } from '../../../workflows/proxies.ts'

/**
 * A change that would break running histories: another activity comes first. The replay test must
 * refuse it.
 */
export async function syncStream(): Promise<void> {
  await recordUnproven({
    store: 'downtown',
    stream: 'vendors',
    timeZone: 'UTC',
    window: { start: '', end: '' },
    code: 'NOT_PROVEN',
    message: '',
  })
}
