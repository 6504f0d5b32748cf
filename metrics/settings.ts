import { z } from 'zod'
import { listenAddress } from '../config/listen.ts'

/** Where Prometheus asks; absent: nobody does. */
export const metricsSettings = z.strictObject({ listen: listenAddress })

export type MetricsSettings = z.infer<typeof metricsSettings>
