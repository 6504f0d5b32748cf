import { atBoundary } from './boundary.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore, type StoreIdentity } from './identify-store.ts'
import { joinWorkflow } from './join-workflow.ts'
import { planWindows, type Plan, type PlanInput } from './plan-windows.ts'
import { recordUnproven, syncWindow, type UnprovenInput, type WindowInput, type WindowResult } from './sync-window.ts'

/** Every activity. Their names live in workflow histories: never rename one. */
export interface Activities {
  identifyStore(input: { store: string }): Promise<StoreIdentity>
  planWindows(input: PlanInput): Promise<Plan>
  syncWindow(input: WindowInput): Promise<WindowResult>
  recordUnproven(input: UnprovenInput): Promise<WindowResult>
  joinWorkflow(input: { workflowId: string }): Promise<unknown>
}

export function createActivities(dependencies: Dependencies): Activities {
  return {
    identifyStore: atBoundary((input) => identifyStore(dependencies, input)),
    planWindows: atBoundary((input) => planWindows(dependencies, input)),
    syncWindow: atBoundary((input) => syncWindow(dependencies, input)),
    recordUnproven: atBoundary((input) => recordUnproven(dependencies, input)),
    joinWorkflow: atBoundary(joinWorkflow),
  }
}
