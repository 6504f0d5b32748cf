import type { ShowPage } from '../page.ts'
import { showBooks } from './books.ts'
import { showAudit, showCompliance } from './compliance.ts'
import { showConnections } from './connections.ts'
import { showCoverage, showWindow } from './coverage.ts'
import { showDay } from './day.ts'
import { showPlan, showPlans } from './plans.ts'
import { showProblem, showProblems } from './problems.ts'
import { showRuns, showSchedule } from './runs.ts'
import { showToday } from './today.ts'

/** What is served at which path. */
export const PAGES: Readonly<Record<string, ShowPage>> = {
  '/': showToday,
  '/coverage': showCoverage,
  '/coverage/:store/:stream/:start': showWindow,
  '/books': showBooks,
  '/books/:store/:day': showDay,
  '/plans': showPlans,
  '/plans/:id': showPlan,
  '/compliance': showCompliance,
  '/audits/:id': showAudit,
  '/problems': showProblems,
  '/problems/:code': showProblem,
  '/runs': showRuns,
  '/runs/:id': showSchedule,
  '/connections': showConnections,
}
