import { describe, expect, test } from 'vitest'
import { deviceName } from './device-name.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

describe('deviceName', () => {
  test.each([
    ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`],
    ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['Microsoft Edge on Windows', `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0`],
    ['Safari on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.0 Safari/605.1.15`],
  ])('names %s', (name, userAgent) => {
    expect(deviceName(userAgent)).toBe(name)
  })

  test('shows the printable part of a user agent that it does not know', () => {
    expect(deviceName('harbour-sync/1.0')).toBe('harbour-sync/1.0')
    expect(deviceName('harbour sync \u{1F6A2}')).toBe('harbour sync')
    expect(deviceName('x'.repeat(100))).toHaveLength(60)
  })

  test('says so when there is no user agent', () => {
    expect(deviceName('')).toBe('Unknown device')
  })
})
