import type { Dependencies } from './dependencies.ts'
import { identifyStore, type StoreIdentity } from './identify-store.ts'
import { joinWorkflow } from './join-workflow.ts'
import { planWindows, type Plan, type PlanInput } from './plan-windows.ts'
import { recordUnproven, syncWindow, type UnprovenInput, type WindowInput, type WindowResult } from './sync-window.ts'
import { translateErrors } from './translate-errors.ts'

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
    identifyStore: translateErrors((input) => identifyStore(dependencies, input)),
    planWindows: translateErrors((input) => planWindows(dependencies, input)),
    syncWindow: translateErrors((input) => syncWindow(dependencies, input)),
    recordUnproven: translateErrors((input) => recordUnproven(dependencies, input)),
    joinWorkflow: translateErrors(joinWorkflow),
  }
}
