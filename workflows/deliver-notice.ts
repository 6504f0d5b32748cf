import { isCancellation } from '@temporalio/workflow'
import { deliverNotice as deliver, giveUpNotice } from './proxies.ts'

/** What is sent, and where, stands in the database under this id. */
export interface DeliverInput {
  delivery: string
}

/** Tries to deliver a notice to one channel for a day, with growing pauses. */
export async function deliverNotice({ delivery }: DeliverInput): Promise<void> {
  try {
    await deliver({ delivery })
  } catch (error) {
    if (isCancellation(error)) throw error
    await giveUpNotice({ delivery })
  }
}
