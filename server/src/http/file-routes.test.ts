import type { UploadedFile } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal()
const { owner, room, bots } = await channelFixture({ bots: 1 })
const TEN = Buffer.from('0123456789')
const POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"

async function upload(content: Uint8Array | string, name: string, type = 'text/html'): Promise<UploadedFile> {
  const path = `/rooms/${room.id}/files?name=${encodeURIComponent(name)}`
  const body = Uint8Array.from(typeof content === 'string' ? Buffer.from(content) : content)
  return expectOk(await owner.request<UploadedFile>('POST', path, body, { 'content-type': type }))
}

function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(server.url + url, { method, headers: { cookie: owner.cookie, ...headers } })
}

describe('GET /files/{id}/{name}', () => {
  test.each([
    ['plain text', 'a,b\n', 'text/plain; charset=utf-8', 'inline'],
    ['a sound', 'ID3\x04\0\0', 'audio/mpeg', 'inline'],
    ['a page', '<!doctype html><script>alert(1)</script>', 'application/octet-stream', 'attachment'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'application/octet-stream', 'attachment'],
    ['a document', '%PDF-1.7', 'application/octet-stream', 'attachment'],
  ])('runs nothing of %s', async (_what, content, type, disposition) => {
    const { url } = await upload(content, 'page.html')
    const response = await get(url)
    expect(await response.text()).toBe(content)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `${disposition}; filename*=UTF-8''page.html`,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      vary: 'cookie, authorization',
    })
  })

  test('is downloaded under its name, in any language', async () => {
    const { url } = await upload(TEN, `Отчёт 'за' март (1).txt`)
    const disposition = (await get(url)).headers.get('content-disposition')
    const name = encodeURIComponent('Отчёт ') + '%27' + encodeURIComponent('за') + '%27%20'
    expect(disposition).toBe(`inline; filename*=UTF-8''${name}${encodeURIComponent('март')}%20%281%29.txt`)
  })

  test('sends the requested range', async () => {
    const { url } = await upload(TEN, 'ten.txt')
    const part = await get(url, { range: 'bytes=2-4' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    expect(part.headers.get('content-length')).toBe('3')
    const end = await get(url, { range: 'bytes=-2' })
    expect([end.status, await end.text()]).toEqual([206, '89'])
    const none = await get(url, { range: 'bytes=10-' })
    expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const whole = await get(url, { range: 'bytes=0-1,3-4' })
    expect([whole.status, whole.headers.get('accept-ranges'), await whole.text()]).toEqual([200, 'bytes', String(TEN)])
    const other = await get(url, { range: 'bytes=0-1', 'if-range': '"another"' })
    expect([other.status, await other.text()]).toEqual([200, String(TEN)])
  })

  test('is revalidated without sending it again, and answers HEAD', async () => {
    const { url } = await upload(TEN, 'ten.txt')
    const etag = (await get(url)).headers.get('etag') ?? ''
    expect((await get(url, { 'if-none-match': etag })).status).toBe(304)
    const head = await get(url, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
  })

  test('needs no particular name, and an id that exists', async () => {
    const { id } = await upload(TEN, 'ten.txt')
    expect((await get(`/files/${id}/other.txt`)).status).toBe(200)
    for (const path of [`/files/${crypto.randomUUID()}/ten.txt`, '/files/x/ten.txt', `/files/${id}/preview`]) {
      expect((await get(path)).status).toBe(404)
    }
  })

  test('counts as a request of a bot', async () => {
    const { url } = await upload(TEN, 'ten.txt')
    expect((await fetch(server.url + url, { headers: { authorization: `Bot ${bots[0].key}` } })).status).toBe(404)
    expect((await fetch(server.url + url, { headers: { authorization: 'Bot nothing' } })).status).toBe(401)
  })
})

describe('GET /files/{id}/preview', () => {
  test('is a WebP without metadata, whatever the picture was', async () => {
    const jpeg = await sharp({ create: { width: 2400, height: 1200, channels: 3, background: 'red' } })
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .toBuffer()
    const { id, url } = await upload(jpeg, 'photo.jpg')
    const response = await get(`/files/${id}/preview`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition': `inline; filename*=UTF-8''photo.jpg.webp`,
      'content-security-policy': POLICY,
      'cache-control': 'private, no-cache',
    })
    const { format, width, height, exif } = await sharp(await response.arrayBuffer()).metadata()
    expect({ format, width, height, exif }).toEqual({ format: 'webp', width: 1200, height: 600, exif: undefined })
    expect(Buffer.from(await (await get(url)).arrayBuffer())).toEqual(jpeg)
  })
})
