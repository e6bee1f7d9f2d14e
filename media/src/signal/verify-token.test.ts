import { SignJWT } from 'jose'
import { AccessToken } from 'livekit-server-sdk'
import { describe, expect, test } from 'vitest'
import { verifyToken } from './verify-token.ts'

const KEY = { apiKey: 'portico', apiSecret: 'a secret of thirty-two characters' }
const SESSION = { roomId: 'room', identity: 'ada', name: 'Ada', canPublish: true }
const VIDEO = { room: 'room', roomJoin: true, canPublish: true, canSubscribe: true }
const SECRET = Buffer.from(KEY.apiSecret)

interface Claims {
  readonly alg?: string
  readonly secret?: Uint8Array
  readonly issuer?: string
  readonly subject?: string
  readonly video?: unknown
  readonly notBefore?: string
  readonly expires?: string
}

function token({ alg = 'HS256', secret = SECRET, issuer = 'portico', subject = 'ada', ...more }: Claims) {
  const { video = VIDEO, notBefore = '-1s', expires = '1m' } = more
  return new SignJWT({ video, name: 'Ada' })
    .setProtectedHeader({ alg })
    .setIssuer(issuer)
    .setSubject(subject)
    .setNotBefore(notBefore)
    .setExpirationTime(expires)
    .sign(secret)
}

/** A token as programs issue it with LiveKit's SDK. */
function sdkToken({ canPublish }: { canPublish: boolean }): Promise<string> {
  const issued = new AccessToken(KEY.apiKey, KEY.apiSecret, { identity: 'ada', name: 'Ada', ttl: 60 })
  issued.addGrant({ ...VIDEO, canPublish })
  return issued.toJwt()
}

describe('verifyToken', () => {
  test('accepts the tokens of LiveKit’s SDK', async () => {
    expect(await verifyToken(await sdkToken({ canPublish: true }), KEY)).toEqual({ ...SESSION, canSubscribe: true })
    const silent = await sdkToken({ canPublish: false })
    expect(await verifyToken(silent, KEY)).toMatchObject({ canPublish: false, canSubscribe: true })
    expect(await verifyToken(await token({}), KEY)).toMatchObject({ identity: 'ada', roomId: 'room' })
  })

  test.each<[string, Claims]>([
    ['is signed with another key', { secret: Buffer.from('another secret of thirty-two chars') }],
    ['is signed with another algorithm', { alg: 'HS384' }],
    ['names another API key', { issuer: 'devkey' }],
    ['has expired', { expires: '-1s' }],
    ['is not valid yet', { notBefore: '1m' }],
    ['has no identity', { subject: '' }],
    ['has no room', { video: { roomJoin: true } }],
    ['has a room that is no name', { video: { roomJoin: true, room: { name: 'room' } } }],
    ['is not for joining a room', { video: { room: 'room', roomAdmin: true, roomJoin: 'yes' } }],
    ['has no grant', { video: null }],
    ['has an endless identity', { subject: 'a'.repeat(300) }],
  ])('refuses a token that %s', async (_name, claims) => {
    expect(await verifyToken(await token(claims), KEY)).toBeUndefined()
  })

  test('refuses a token without a signature, without times, or that is none', async () => {
    const unsigned = (payload: object): string =>
      [{ alg: 'none' }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.'
    const times = { nbf: 0, exp: 9_999_999_999 }
    expect(await verifyToken(unsigned({ iss: 'portico', sub: 'ada', video: VIDEO, ...times }), KEY)).toBeUndefined()
    const timeless = await new SignJWT({ video: VIDEO })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('portico')
      .setSubject('ada')
      .sign(SECRET)
    for (const text of [timeless, '', 'a.b.c', 'x'.repeat(10_000)]) expect(await verifyToken(text, KEY)).toBeUndefined()
  })

  test('allows nothing that a token does not name', async () => {
    const bare = new AccessToken(KEY.apiKey, KEY.apiSecret, { identity: 'ada', ttl: 60 })
    bare.addGrant({ room: 'room', roomJoin: true })
    expect(await verifyToken(await bare.toJwt(), KEY)).toMatchObject({ canPublish: false, canSubscribe: false })
  })
})
