import { describe, expect, it } from 'vitest'
import { KEYS, load, problemsOf, STORE, makeFolder } from './loading.ts'

makeFolder()

describe('the environment', () => {
  it('fills in names anywhere in a text, and leaves other dollars alone', () => {
    const config = load(
      'stores:\n  - { id: a, baseUrl: "https://${HOST}.example", partnerKey: "x${PARTNER}y", developerKey: "$PARTNER ${} $${DOWNTOWN}" }',
      { ...KEYS, HOST: 'host' },
    )
    expect(config.stores[0]).toMatchObject({
      baseUrl: 'https://host.example',
      partnerKey: `x${KEYS.PARTNER}y`,
      developerKey: `$PARTNER \${} $${KEYS.DOWNTOWN}`,
    })
  })

  it('is not read again for what it filled in, and cannot add structure', () => {
    const { stores } = load(`stores:${STORE}`, {
      PARTNER: '${DOWNTOWN}',
      DOWNTOWN: 'x\n    timeZone: UTC',
    })
    expect(stores).toMatchObject([
      { partnerKey: '${DOWNTOWN}', developerKey: 'x\n    timeZone: UTC' },
    ])
  })

  it('is named, all of it, where something is missing or empty', () => {
    expect(problemsOf(`stores:${STORE}`, { PARTNER: '' })).toEqual([
      '${PARTNER} is not set in the environment',
      '${DOWNTOWN} is not set in the environment',
    ])
  })

  it.each(['$PARTNER', '${}', '${PARTNER KEY}', '${PARTNER'])('is not meant by %s', text => {
    const settings = `stores:\n  - { id: a, baseUrl: "https://a.example", partnerKey: "${text}", developerKey: k }`
    expect(problemsOf(settings, KEYS)).toEqual([
      'stores[0].partnerKey does not name an environment variable as it must; write it like ${TILLAGE_PARTNER_KEY}',
    ])
  })

  it('leaves a password alone that begins with a dollar', () => {
    const settings = `stores:\n  - { id: a, baseUrl: "https://a.example", partnerKey: "$ecret", developerKey: "$" }`
    expect(load(settings, KEYS).stores[0]).toMatchObject({
      partnerKey: '$ecret',
      developerKey: '$',
    })
  })
})
