import { describe, expect, test } from 'vitest'
import { unknownSettings } from './unknown-settings.ts'

describe('unknownSettings', () => {
  test.each([
    ['PORTICO_SECRTE', 'PORTICO_SECRET'],
    ['PORTICO_DATA_DIR', 'PORTICO_DATA'],
    ['LIVEKIT_APIKEY', 'LIVEKIT_API_KEY'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
  ])('names %s and the setting that is probably meant, %s', (given, meant) => {
    expect(unknownSettings({ [given]: 'x' })).toEqual([`${given} is not a setting; did you mean ${meant}?`])
  })

  test('reports a name with a known prefix that resembles no setting', () => {
    expect(unknownSettings({ PORTICO_COLOR_OF_THE_SKY: 'x' })).toEqual(['PORTICO_COLOR_OF_THE_SKY is not a setting'])
  })

  test('ignores variables of other programs', () => {
    const others = {
      PATH: '/bin',
      HOSTNAME: 'x',
      PORTICO_URL: 'x',
      PORTICO_KEY: 'x',
      PORTICO_NODE: 'x',
      PORTICO_SERVICE_HOST: 'x',
      PORTICO_PORT: 'x',
      PORTICO_PORT_3000_TCP: 'x',
      PGHOST: 'x',
      LOGNAME: 'x',
      PORTICO_SECRET: 'x',
    }
    expect(unknownSettings(others)).toEqual([])
  })
})
