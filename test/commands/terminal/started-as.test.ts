import { describe, expect, test } from 'vitest'
import { sayAsStarted, startedAs } from '../../../commands/terminal/started-as.ts'

describe('a hint', () => {
  const inClone = { npm_package_name: 'tillage', npm_lifecycle_event: 'tillage' }

  test('says what can be typed: in a clone, beside an installed package, on the path', () => {
    expect(startedAs(inClone)).toBe('npm run -s tillage --')
    expect(startedAs({ ...inClone, npm_lifecycle_event: 'demo' })).toBe('npm run -s tillage --')
    expect(startedAs({ npm_command: 'exec' })).toBe('npx tillage')
    expect(startedAs({})).toBe('tillage')
    // A script of somebody else's package that calls the program.
    expect(startedAs({ npm_package_name: 'shop', npm_lifecycle_event: 'tillage' })).toBe('tillage')
    expect(startedAs({ ...inClone, npm_lifecycle_event: 'test' })).toBe('tillage')
  })

  test('is changed where it names a command, and nowhere else', () => {
    const say = (text: string): string => sayAsStarted(text, startedAs(inClone))
    expect(say('Make it proven: tillage sync vendors --store a. Or: tillage status')).toBe(
      'Make it proven: npm run -s tillage -- sync vendors --store a. Or: npm run -s tillage -- status',
    )
    for (const text of [
      'npx tillage sync',
      'npm run -s tillage -- sync',
      '/srv/tillage sync',
      'tillage synchronises',
      'tillage.yaml',
    ])
      expect(say(text)).toBe(text)
    expect(sayAsStarted('tillage sync', 'tillage')).toBe('tillage sync')
  })
})
