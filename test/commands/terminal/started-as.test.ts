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

  test('names the configuration that was named, as it was typed', () => {
    expect(startedAs({}, ['status', '--config', 'a/b.yaml'])).toBe('tillage --config a/b.yaml')
    expect(startedAs(inClone, ['--config=/b.yaml', 'sync'])).toBe(
      'npm run -s tillage -- --config /b.yaml',
    )
    expect(startedAs({}, ['sync', '--config', "our store's.yaml"])).toBe(
      "tillage --config 'our store'\\''s.yaml'",
    )
    // Standard input is not there again; an argument without its file is an error of its own.
    for (const args of [['sync'], ['sync', '--config', '-'], ['sync', '--config']])
      expect(startedAs({}, args)).toBe('tillage')
    const hint = sayAsStarted('Next: tillage sync', startedAs({}, ['--config', 'b.yaml', 'init']))
    expect(hint).toBe('Next: tillage --config b.yaml sync')
    expect(sayAsStarted(hint, 'tillage --config b.yaml')).toBe(hint)
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
