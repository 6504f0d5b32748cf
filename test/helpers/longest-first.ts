import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import { LONG_FILES } from './long-files.ts'

/**
 * Begun last, a long file would keep one core busy while the other has nothing left to do. Files
 * with a process of their own come before all others: a process that other files share ends when
 * such a file is next, and the one after it begins by loading everything anew.
 */
function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'alone') return -1
  const at = LONG_FILES.findIndex(name => moduleId.endsWith(`test/${name}.test.ts`))
  return at < 0 ? LONG_FILES.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
