import { describe, expect, test } from 'vitest'
import { checkSignIn } from './sign-in.ts'
import { WrittenHistory } from './written-history.ts'

const SITE = { id: 'site', name: 'Fleet', kind: 'website' } as const
const SCOPE = 'service.identify service.channels.read'

function tokens(position: number) {
  return { access_token: `access ${position}`, refresh_token: `refresh ${position}`, scope: SCOPE }
}

/** A person who has signed in. */
function signedIn(): WrittenHistory {
  const history = new WrittenHistory()
  const oauth = { clientId: 'client' }
  history.call(history.owner, 'setOAuth', { applicationId: 'website' }, { status: 201, body: { oauth } })
  const args = { clientId: 'client', code: 'code', personId: 'member' }
  return history.call(SITE, 'exchangeCode', args, { status: 200, body: tokens(1) })
}

function refresh(history: WrittenHistory, position: number, status: number): WrittenHistory {
  const body = status === 200 ? tokens(position + 1) : { error: 'invalid_grant' }
  return history.call(SITE, 'refresh', { clientId: 'client', refreshToken: `refresh ${position}` }, { status, body })
}

function show(history: WrittenHistory, position: number, status: number): WrittenHistory {
  return history.call(SITE, 'getCurrentUser', { token: `access ${position}` }, { status, body: { id: 'member' } })
}

describe('checkSignIn', () => {
  test('accepts a sign-in that is refreshed, and then withdrawn', () => {
    const history = refresh(show(signedIn(), 1, 200), 1, 200)
    show(history, 2, 200).call(history.member, 'withdrawConsent', { applicationId: 'website' }, { status: 204 })
    show(refresh(history, 2, 400), 2, 401)
    expect(history.violationsOf(checkSignIn)).toEqual([])
  })

  test('finds tokens that work after the consent was withdrawn', () => {
    const history = signedIn()
    history.call(history.member, 'withdrawConsent', { applicationId: 'website' }, { status: 204 })
    expect(refresh(show(history, 1, 200), 1, 200).violationsOf(checkSignIn)).toEqual([
      'Fleet (getCurrentUser): 200 with a revoked token',
      'a revoked grant was refreshed',
    ])
  })

  test('finds a refresh token that is accepted twice, and a token that is refused for no reason', () => {
    const history = refresh(refresh(show(signedIn(), 1, 401), 1, 200), 1, 200)
    expect(history.violationsOf(checkSignIn)).toEqual([
      'Fleet (getCurrentUser): 401 with a token that works',
      'a refresh token was accepted twice',
    ])
  })

  test('accepts that an old refresh token revokes the grant, and finds that it doesn’t', () => {
    const late = (status: number): string[] => {
      const history = refresh(signedIn(), 1, 200).wait(15)
      return show(refresh(history, 1, 400), 2, status).violationsOf(checkSignIn)
    }
    expect(late(401)).toEqual([])
    expect(late(200)).toEqual(['Fleet (getCurrentUser): 200 with a revoked token'])
  })

  test('finds that the second of two refreshes at the same time revokes the grant', () => {
    const history = refresh(refresh(signedIn(), 1, 200), 1, 400)
    expect(show(history, 2, 401).violationsOf(checkSignIn)).toEqual([
      'Fleet (getCurrentUser): 401 with a token that works',
    ])
  })

  test('finds channels that are missing, and a role that is wrong', () => {
    const list = (channels: readonly object[]): string[] => {
      const history = signedIn()
      history.call(SITE, 'listCurrentUserChannels', { token: 'access 1' }, { status: 200, body: { channels } })
      return history.violationsOf(checkSignIn)
    }
    const channel = (systemName: string) => ({ id: 'channel', role: { systemName } })
    expect(list([channel('CHANNEL_MEMBER')])).toEqual([])
    expect(list([])).toEqual(['Fleet (listCurrentUserChannels): the channel channel is missing'])
    expect(list([channel('CHANNEL_ADMIN')])).toEqual([
      'Fleet (listCurrentUserChannels): the role in channel is not CHANNEL_ADMIN',
    ])
  })
})
