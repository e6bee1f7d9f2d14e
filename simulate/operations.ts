/** A request as it goes over the wire, below the base path of its API. */
export interface Wire {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** Sent as it is, as a file. */
  readonly bytes?: Buffer
  /** The path is that of a file, not of an API. */
  readonly isFile?: true
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
interface OfApplication {
  readonly applicationId: string
}

const channel = ({ channelId }: InChannel): string => `/channels/${channelId}`
const member = ({ channelId, userId }: OfMember): string => `/channels/${channelId}/members/${userId}`
const roomOf = ({ channelId, roomId }: InRoom): string => `/channels/${channelId}/rooms/${roomId}`
const message = ({ roomId, messageId }: OfMessage): string => `/rooms/${roomId}/messages/${messageId}`

/** Everything that the actors do, by the names under which the history records it. */
export const operations = {
  // Of people and bots alike.
  getChannel: (at: InChannel) => get(channel(at)),
  listRooms: (at: InChannel) => get(`${channel(at)}/rooms`),
  listMembers: ({ limit, afterId, ...at }: InChannel & { limit?: number; afterId?: string }) =>
    get(`${channel(at)}/members`, { limit, afterId }),
  send: ({ roomId, ...body }: InRoom & { text: string; replyToId?: string }) => post(`/rooms/${roomId}/messages`, body),
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
  kick: (of: OfMember) => remove(member(of)),

  // Of bots.
  getProfile: () => get('/me'),
  getEventToken: () => get('/events/token'),
  getWebhook: () => get('/webhook'),
  setWebhook: (body: { url: string; rotateSecret?: boolean }) => put('/webhook', body),
  deleteWebhook: () => remove('/webhook'),
  listCommands: () => get('/commands'),
  replaceCommands: (body: { commands: readonly object[] }) => put('/commands', body),

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
  startTyping: ({ roomId }: InRoom) => post(`/rooms/${roomId}/typing`),
  upload: ({ roomId, channelId, name, content }: InRoom & { name: string; content: string }): Wire => ({
    method: 'POST',
    path: `/rooms/${roomId}/files${search({ channelId, name })}`,
    bytes: Buffer.from(content),
  }),
  getFile: ({ path }: { path: string }): Wire => ({ method: 'GET', path, isFile: true }),
  listAudit: ({ channelId, beforeId }: InChannel & { beforeId?: string }) =>
    get(`/channels/${channelId}/audit-log`, { limit: 100, beforeId }),
  exportData: () => get('/account/data'),
  createApplication: (body: { name: string }) => post('/applications', body),
  issueKey: ({ applicationId, scopes }: OfApplication & { scopes: readonly string[] }) =>
    put(`/applications/${applicationId}/key`, { scopes }),
  getApplication: ({ applicationId }: OfApplication) => get(`/applications/${applicationId}`),
  setLimits: ({ applicationId, ...body }: OfApplication & { requests: number; writes: number }) =>
    put(`/applications/${applicationId}/limits`, body),
  install: ({ channelId, applicationId }: InChannel & OfApplication) =>
    put(`/channels/${channelId}/applications/${applicationId}`),
  uninstall: ({ channelId, applicationId }: InChannel & OfApplication) =>
    remove(`/channels/${channelId}/applications/${applicationId}`),
}

export type OperationName = keyof typeof operations
/** An empty object for those that take nothing. */
export type OperationArgs<Name extends OperationName> =
  Parameters<(typeof operations)[Name]> extends [infer Args] ? Args : object
