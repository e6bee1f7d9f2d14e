/** A request as it goes over the wire, below the base path of its API. */
export interface Wire {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** Sent as it is, as a file. */
  readonly bytes?: Buffer
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** The path begins at the root of the host. */
  readonly isAtRoot?: true
  /** In addition to those of the client, or instead of them. Undefined omits one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Cookies in addition to that of the session. */
  readonly cookies?: string
  /** The answer is for a browser or an OAuth client. */
  readonly isForeign?: true
  /** The token of a signed-in person. */
  readonly bearer?: string
}

type Args = Readonly<Record<string, unknown>>

const get = (path: string, query: Args = {}): Wire => ({ method: 'GET', path: `${path}${search(query)}` })
const post = (path: string, body: object = {}): Wire => ({ method: 'POST', path, body })
const put = (path: string, body: object = {}): Wire => ({ method: 'PUT', path, body })
const patch = (path: string, body: object): Wire => ({ method: 'PATCH', path, body })
const remove = (path: string, body: object = {}): Wire => ({ method: 'DELETE', path, body })

function search(query: Args): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined)
  return set.length === 0
    ? ''
    : `?${new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
}

interface InChannel {
  readonly channelId: string
}
interface InRoom extends InChannel {
  readonly roomId: string
}
interface OfMessage extends InRoom {
  readonly messageId: string
}
interface OfMember extends InChannel {
  readonly userId: string
}
/** A button or a select of a message. */
export interface Component {
  readonly type: 'button' | 'select'
  readonly id: string
  readonly label: string
  readonly options?: readonly { readonly value: string; readonly label: string }[]
}
interface OfApplication {
  readonly applicationId: string
}
interface Upload extends InRoom {
  readonly name: string
  readonly content: string
  /** Then the content is base64. */
  readonly isPicture?: boolean
}

const application = ({ applicationId }: OfApplication): string => `/applications/${applicationId}`
const channel = ({ channelId }: InChannel): string => `/channels/${channelId}`
const member = ({ channelId, userId }: OfMember): string => `/channels/${channelId}/members/${userId}`
const roomOf = ({ channelId, roomId }: InRoom): string => `/channels/${channelId}/rooms/${roomId}`
const message = ({ roomId, messageId }: OfMessage): string => `/rooms/${roomId}/messages/${messageId}`

/** A form for the token endpoint, with the client’s secret. */
interface OfClient {
  readonly clientId: string
  readonly clientSecret: string
}

function toTokenEndpoint(path: string, { clientId, clientSecret }: OfClient, fields: Record<string, string>): Wire {
  const form = { client_id: clientId, client_secret: clientSecret, ...fields }
  return { method: 'POST', path, form, isAtRoot: true, isForeign: true }
}

/** Everything that the actors do, by the names under which the history records it. */
export const operations = {
  // Of people and bots alike.
  getChannel: (at: InChannel) => get(channel(at)),
  listRooms: (at: InChannel) => get(`${channel(at)}/rooms`),
  listMembers: ({ limit, afterId, ...at }: InChannel & { limit?: number; afterId?: string }) =>
    get(`${channel(at)}/members`, { limit, afterId }),
  send: ({ roomId, ...body }: InRoom & { text: string; replyToId?: string; components?: readonly Component[] }) =>
    post(`/rooms/${roomId}/messages`, body),
  startStream: ({ roomId, ...body }: InRoom & { text: string }) => post(`/rooms/${roomId}/messages/streams`, body),
  append: ({ position, text, ...of }: OfMessage & { position: number; text: string }) =>
    post(`${message(of)}/append`, { channelId: of.channelId, position, text }),
  finish: ({ position, interrupted, ...of }: OfMessage & { position?: number; interrupted?: boolean }) =>
    post(`${message(of)}/finish`, { channelId: of.channelId, position, interrupted }),
  read: ({ roomId, ...query }: InRoom & { limit?: number; beforeId?: string }) =>
    get(`/rooms/${roomId}/messages`, query),
  edit: ({ roomId, messageId, channelId, text }: OfMessage & { text: string }) =>
    patch(message({ roomId, messageId, channelId }), { channelId, text }),
  delete: (of: OfMessage) => remove(message(of), { channelId: of.channelId }),
  react: ({ emoji, ...of }: OfMessage & { emoji: string }) =>
    post(`${message(of)}/reactions`, { channelId: of.channelId, emoji }),
  unreact: ({ emoji, ...of }: OfMessage & { emoji: string }) =>
    remove(`${message(of)}/reactions`, { channelId: of.channelId, emoji }),
  pin: (of: OfMessage) => post(`${message(of)}/pin`, { channelId: of.channelId }),
  unpin: (of: OfMessage) => remove(`${message(of)}/pin`, { channelId: of.channelId }),
  joinVoice: ({ roomId, channelId }: InRoom) => post(`/rooms/${roomId}/voice`, { channelId }),
  leaveVoice: ({ roomId }: InRoom) => remove(`/rooms/${roomId}/voice`),
  muteChat: ({ durationSec, ...of }: OfMember & { durationSec?: number }) =>
    put(`${member(of)}/chat-mute`, { durationSec }),
  unmuteChat: (of: OfMember) => remove(`${member(of)}/chat-mute`),
  muteVoice: ({ durationSec, ...of }: OfMember & { durationSec?: number }) =>
    put(`${member(of)}/voice-mute`, { durationSec }),
  unmuteVoice: (of: OfMember) => remove(`${member(of)}/voice-mute`),
  disconnect: (of: OfMember) => remove(`${member(of)}/voice`),
  move: ({ roomId, ...of }: OfMember & { roomId: string }) => put(`${member(of)}/room`, { roomId }),
  kick: (of: OfMember) => remove(member(of)),

  // Of bots.
  getProfile: () => get('/me'),
  getScopes: () => get('/me/scopes'),
  getEventToken: ({ kinds }: { kinds?: readonly string[] } = {}) => get('/events/token', { kinds: kinds?.join() }),
  getWebhook: () => get('/webhook'),
  setWebhook: (body: { url: string; rotateSecret?: boolean; kinds?: readonly string[] }) => put('/webhook', body),
  deleteWebhook: () => remove('/webhook'),
  listCommands: () => get('/commands'),
  replaceCommands: (body: { commands: readonly object[] }) => put('/commands', body),
  revokeKey: () => remove('/key'),
  showNotice: ({ roomId, ...body }: InRoom & { userId: string; noticeId: string; text: string }) =>
    post(`/rooms/${roomId}/notices`, body),
  /** A request that is wrong, and in which way; the other arguments say what the refusal depends on. */
  sendWrong: ({ wire }: { wrong: string; wire: Wire; channelId?: string; roomId?: string }): Wire => wire,

  // Of people.
  setUp: (body: { code: string; name: string; password: string }) => post('/set-up', body),
  signUp: (body: { name: string; password: string }) => post('/accounts', body),
  signIn: (body: { name: string; password: string }) => post('/sessions', body),
  createChannel: (body: { name: string; open: boolean }) => post('/channels', body),
  updateChannel: ({ channelId, ...body }: InChannel & { name: string }) => patch(`/channels/${channelId}`, body),
  join: (at: InChannel) => post(`${channel(at)}/join`),
  leave: (at: InChannel) => remove(`${channel(at)}/membership`),
  listChannels: () => get('/channels'),
  createRoom: ({ channelId, ...body }: InChannel & { name: string; type: string; private?: boolean }) =>
    post(`/channels/${channelId}/rooms`, body),
  updateRoom: ({ channelId, roomId, ...body }: InRoom & { name?: string; private?: boolean }) =>
    patch(roomOf({ channelId, roomId }), body),
  deleteRoom: (at: InRoom) => remove(roomOf(at)),
  getRoomAccess: (at: InRoom) => get(`${roomOf(at)}/access`),
  setAdmissions: ({
    channelId,
    roomId,
    ...body
  }: InRoom & { roleIds: readonly string[]; memberIds: readonly string[] }) =>
    put(`${roomOf({ channelId, roomId })}/admissions`, body),
  setOverride: ({
    channelId,
    roomId,
    roleId,
    ...body
  }: InRoom & { roleId: string; allow: readonly string[]; deny: readonly string[] }) =>
    put(`${roomOf({ channelId, roomId })}/overrides/${roleId}`, body),
  listRoles: (at: InChannel) => get(`${channel(at)}/roles`),
  createRole: ({ channelId, ...body }: InChannel & { name: string; rights: readonly string[] }) =>
    post(`/channels/${channelId}/roles`, body),
  updateRole: ({ channelId, roleId, ...body }: InChannel & { roleId: string; rights: readonly string[] }) =>
    patch(`/channels/${channelId}/roles/${roleId}`, body),
  deleteRole: ({ channelId, roleId }: InChannel & { roleId: string }) =>
    remove(`/channels/${channelId}/roles/${roleId}`),
  getMember: (of: OfMember) => get(member(of)),
  setMemberRoles: ({ roleIds, ...of }: OfMember & { roleIds: readonly string[] }) =>
    put(`${member(of)}/roles`, { roleIds }),
  setNickname: ({ nickname, ...of }: OfMember & { nickname: string | null }) =>
    put(`${member(of)}/nickname`, { nickname }),
  ban: (of: OfMember) => put(`${member(of)}/ban`),
  liftBan: ({ channelId, userId }: OfMember) => remove(`/channels/${channelId}/bans/${userId}`),
  readHistory: ({ roomId, ...query }: InRoom & { limit?: number; beforeId?: string; afterId?: string }) =>
    get(`/rooms/${roomId}/history`, query),
  search: ({ channelId, q }: InChannel & { q: string }) => get(`/channels/${channelId}/search`, { q }),
  listReadStates: () => get('/read-states'),
  markRead: ({ roomId, messageId }: InRoom & { messageId?: string }) => put(`/rooms/${roomId}/read`, { messageId }),
  markUnread: ({ roomId, messageId }: OfMessage) => put(`/rooms/${roomId}/unread`, { messageId }),
  /** A component of a bot’s message. */
  press: ({
    channelId,
    componentId,
    value,
    ...of
  }: OfMessage & { botId: string; componentId: string; value?: string }) =>
    post(`${message({ channelId, ...of })}/presses`, { channelId, componentId, value }),
  startTyping: ({ roomId }: InRoom) => post(`/rooms/${roomId}/typing`),
  upload: ({ roomId, channelId, name, content, isPicture = false }: Upload): Wire => ({
    method: 'POST',
    path: `/rooms/${roomId}/files${search({ channelId, name })}`,
    bytes: Buffer.from(content, isPicture ? 'base64' : 'utf8'),
  }),
  getFile: ({ path }: { path: string }): Wire => ({ method: 'GET', path, isAtRoot: true }),
  listAudit: ({ channelId, beforeId }: InChannel & { beforeId?: string }) =>
    get(`/channels/${channelId}/audit-log`, { limit: 100, beforeId }),
  exportData: () => get('/account/data'),
  listSessions: () => get('/sessions'),
  endSession: ({ sessionId }: { sessionId: string }) => remove(`/sessions/${sessionId}`),
  signOut: () => remove('/sessions/current'),
  getPushSubscription: () => get('/push-subscription'),
  setPushSubscription: (body: { endpoint: string; p256dh: string; auth: string; locale: string }) =>
    put('/push-subscription', body),
  setNotifications: ({ channelId, ...body }: InChannel & { level?: string; muted?: boolean }) =>
    patch(`/channels/${channelId}/notifications`, body),

  // Of the owners of applications.
  createApplication: (body: { name: string }) => post('/applications', body),
  deleteApplication: ({ applicationId, name }: OfApplication & { name: string }) =>
    remove(application({ applicationId }), { name }),
  issueKey: ({ applicationId, scopes }: OfApplication & { scopes: readonly string[] }) =>
    put(`${application({ applicationId })}/key`, { scopes }),
  getApplication: (of: OfApplication) => get(application(of)),
  setLimits: ({ applicationId, ...body }: OfApplication & { requests: number; writes: number }) =>
    put(`${application({ applicationId })}/limits`, body),
  install: ({ channelId, applicationId }: InChannel & OfApplication) =>
    put(`/channels/${channelId}/applications/${applicationId}`),
  uninstall: ({ channelId, applicationId }: InChannel & OfApplication) =>
    remove(`/channels/${channelId}/applications/${applicationId}`),
  setOAuth: ({ applicationId, redirectUri }: OfApplication & { redirectUri: string }) =>
    put(`${application({ applicationId })}/oauth`, { redirectUri }),
  issueClientSecret: (of: OfApplication) => post(`${application(of)}/oauth/secret`),
  revokeOAuth: (of: OfApplication) => remove(`${application(of)}/oauth`),
  listConsents: () => get('/account/consents'),
  withdrawConsent: ({ applicationId }: OfApplication) => remove(`/account/consents/${applicationId}`),

  // Of people whom a website has sent to sign in, in their browser.
  openPage: ({ path, cookies }: { path: string; cookies: string }): Wire => ({
    method: 'GET',
    path,
    cookies,
    isAtRoot: true,
    isForeign: true,
    headers: { accept: 'text/html', origin: undefined },
  }),
  getQuestion: ({ path, cookies }: { path: string; cookies: string }): Wire => ({
    method: 'GET',
    path: `${path}/question`,
    cookies,
    isAtRoot: true,
  }),
  answerQuestion: ({ path, cookies, answer }: { path: string; cookies: string; answer: string }): Wire => ({
    method: 'POST',
    path: `${path}/${answer}`,
    cookies,
    isAtRoot: true,
  }),

  // Of websites.
  exchangeCode: ({
    code,
    redirectUri,
    ...client
  }: OfClient & { code: string; redirectUri: string; personId: string }) =>
    toTokenEndpoint('/oauth/token', client, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
  refresh: ({ refreshToken, ...client }: OfClient & { refreshToken: string }) =>
    toTokenEndpoint('/oauth/token', client, { grant_type: 'refresh_token', refresh_token: refreshToken }),
  revokeToken: ({ token, ...client }: OfClient & { token: string }) =>
    toTokenEndpoint('/oauth/revoke', client, { token }),
  getCurrentUser: ({ token }: { token: string }): Wire => ({ method: 'GET', path: '/users/@me', bearer: token }),
  listCurrentUserChannels: ({ token }: { token: string }): Wire => ({
    method: 'GET',
    path: '/users/@me/channels',
    bearer: token,
  }),
}

export type OperationName = keyof typeof operations
/** An empty object for those that take nothing. */
export type OperationArgs<Name extends OperationName> =
  Parameters<(typeof operations)[Name]> extends [infer Args] ? Args : object
