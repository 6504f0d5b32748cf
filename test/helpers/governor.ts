import { shareAlone } from '../../connectors/local/key-shares.ts'
import { createGovernor } from '../../connectors/partner/governor.ts'
import type { Governor, Limits } from '../../connectors/partner/governor.ts'
import { createSharedPace } from '../../connectors/store/shared-pace.ts'

/** Of a process that nobody shares the key with. */
export const governorAlone = (limits: Limits): Governor =>
  createGovernor(limits, createSharedPace(shareAlone(), limits))
