import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { httpsCertificatePath, openHttpsCertificate } from './https-certificate.ts'

const NAMES = ['192.168.1.5', 'localhost']
const DAY = 86_400_000

describe('openHttpsCertificate', () => {
  test('makes a certificate for less than 398 days, readable only by its owner, and uses it again', async () => {
    const place = { PORTICO_DATA: await dataFolder() }
    const made = await openHttpsCertificate(place, NAMES)
    const { validFromDate, validToDate, subjectAltName } = new X509Certificate(made.cert)
    expect(validToDate.getTime() - validFromDate.getTime()).toBe(397 * DAY)
    expect(subjectAltName).toBe('IP Address:192.168.1.5, DNS:localhost')
    expect((await stat(httpsCertificatePath(place))).mode & 0o777).toBe(0o600)
    expect(await readdir(place.PORTICO_DATA)).toEqual(['https.pem'])
    expect(await openHttpsCertificate(place, NAMES)).toEqual(made)
  })

  test('makes a new one for a new address, and keeps it when the address is gone', async () => {
    const place = { PORTICO_DATA: await dataFolder() }
    const first = await openHttpsCertificate(place, NAMES)
    const second = await openHttpsCertificate(place, ['10.0.0.7', ...NAMES])
    expect(second.cert).not.toBe(first.cert)
    expect(second.key).not.toBe(first.key)
    expect(await openHttpsCertificate(place, NAMES)).toEqual(second)
  })

  test('renews it thirty days before it expires, and where the clock was wrong', async () => {
    const place = { PORTICO_DATA: await dataFolder() }
    const first = await openHttpsCertificate(place, NAMES)
    expect(await openHttpsCertificate(place, NAMES, Date.now() + 365 * DAY)).toEqual(first)
    const second = await openHttpsCertificate(place, NAMES, Date.now() + 367 * DAY)
    expect(second).not.toEqual(first)
    expect(await openHttpsCertificate(place, NAMES)).not.toEqual(second)
  })

  test.each([
    ['that is empty', () => ''],
    ['that was cut short', (text: string) => text.slice(0, -100)],
    [
      'whose key belongs to another',
      (text: string, other: string) => other.split('-----BEGIN CERT')[0] + text.slice(text.indexOf('-----BEGIN CERT')),
    ],
    [
      'of something else',
      () =>
        '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n',
    ],
  ])('replaces a file %s', async (_, broken) => {
    const [place, elsewhere] = [{ PORTICO_DATA: await dataFolder() }, { PORTICO_DATA: await dataFolder() }]
    await openHttpsCertificate(place, NAMES)
    await openHttpsCertificate(elsewhere, NAMES)
    const [text, other] = await Promise.all(
      [place, elsewhere].map((each) => readFile(httpsCertificatePath(each), 'utf8')),
    )
    await writeFile(httpsCertificatePath(place), broken(text ?? '', other ?? ''))
    const { key, cert } = await openHttpsCertificate(place, NAMES)
    expect(await readFile(httpsCertificatePath(place), 'utf8')).toBe(key + cert)
    expect(new X509Certificate(cert).checkIP('192.168.1.5')).toBe('192.168.1.5')
  })
})
