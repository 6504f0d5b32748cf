import { isCancellation } from '@temporalio/workflow'
import { deliverNotice as deliver, giveUpNotice } from './proxies.ts'

/**
 * Tries to deliver a notice to one channel for a day, with growing pauses. What is sent, and where,
 * stands in the database under the id.
 */
export async function deliverNotice({ delivery }: { delivery: string }): Promise<void> {
  try {
    await deliver({ delivery })
  } catch (error) {
    if (isCancellation(error)) throw error
    await giveUpNotice({ delivery })
  }
}
