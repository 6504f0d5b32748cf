import type { ShowPage } from '../page.ts'
import { showToday } from './today.ts'

/** What is served at which path. */
export const PAGES: Readonly<Record<string, ShowPage>> = {
  '/': showToday,
}
