// Written by generate-tables.ts from the migrated database. Not for editing.
import type { ColumnType } from 'kysely'

/** A column with a default: may be left out when inserting. */
export type Generated<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>

/** A column that only the database writes. */
export type GeneratedAlways<T> = ColumnType<T, never, never>

/** An instant: read as ISO-8601 in UTC with milliseconds. */
export type Timestamp = ColumnType<string, string | Date, string | Date>

/** Read as whatever was written. An array must be written as text (JSON.stringify): the driver would send a PostgreSQL array. */
export type Json = ColumnType<unknown, string | { readonly [key: string]: unknown }, string | { readonly [key: string]: unknown }>

export interface Tables {
  accounts: AccountsTable
  application_keys: ApplicationKeysTable
  applications: ApplicationsTable
  audit_log: AuditLogTable
  bans: BansTable
  categories: CategoriesTable
  channel_notifications: ChannelNotificationsTable
  channel_positions: ChannelPositionsTable
  channels: ChannelsTable
  commands: CommandsTable
  consents: ConsentsTable
  deleted_private_rooms: DeletedPrivateRoomsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  ended_sessions: EndedSessionsTable
  event_trims: EventTrimsTable
  events: EventsTable
  files: FilesTable
  idempotency_keys: IdempotencyKeysTable
  installations: InstallationsTable
  instance: InstanceTable
  invitations: InvitationsTable
  kicks: KicksTable
  member_roles: MemberRolesTable
  member_rooms: MemberRoomsTable
  members: MembersTable
  mentions: MentionsTable
  message_files: MessageFilesTable
  message_removals: MessageRemovalsTable
  message_streams: MessageStreamsTable
  messages: MessagesTable
  notification_settings: NotificationSettingsTable
  oauth_clients: OauthClientsTable
  oauth_grants: OauthGrantsTable
  oauth_interactions: OauthInteractionsTable
  oauth_sessions: OauthSessionsTable
  oauth_tokens: OauthTokensTable
  pictures: PicturesTable
  push_cursor: PushCursorTable
  push_keys: PushKeysTable
  push_subscriptions: PushSubscriptionsTable
  pushes: PushesTable
  quota_counting: QuotaCountingTable
  quota_log: QuotaLogTable
  quota_nodes: QuotaNodesTable
  quota_windows: QuotaWindowsTable
  reactions: ReactionsTable
  replica_mark: ReplicaMarkTable
  reset_links: ResetLinksTable
  revoked_event_tokens: RevokedEventTokensTable
  roles: RolesTable
  room_admissions: RoomAdmissionsTable
  room_overrides: RoomOverridesTable
  rooms: RoomsTable
  saved_mutes: SavedMutesTable
  sdk_packages: SdkPackagesTable
  serving_process: ServingProcessTable
  sessions: SessionsTable
  sign_in_failures: SignInFailuresTable
  sign_in_keys: SignInKeysTable
  stream_keys: StreamKeysTable
  stream_owners: StreamOwnersTable
  upload_shares: UploadSharesTable
  upload_usage: UploadUsageTable
  uploads: UploadsTable
  voice_sessions: VoiceSessionsTable
  webhook_gaps: WebhookGapsTable
  webhooks: WebhooksTable
}

export interface AccountsTable {
  id: string
  kind: 'person' | 'bot'
  name: string
  name_skeleton: string | null
  avatar: string
  avatar_version: Generated<number>
  password_hash: string | null
  is_administrator: Generated<boolean>
  locale: 'en' | 'ru' | null
  theme: Generated<'system' | 'light' | 'dark'>
  created_at: Generated<Timestamp>
  deleted_at: Timestamp | null
  disabled_at: Timestamp | null
  sort_name: GeneratedAlways<string>
}

export interface ApplicationKeysTable {
  application_id: string
  key_hash: Buffer
  hint: string
  scopes: string[]
  issued_at: Generated<Timestamp>
  last_used_at: Timestamp | null
}

export interface ApplicationsTable {
  id: string
  name: string
  owner_id: string
  bot_id: string
  request_limit: number | null
  write_limit: number | null
  created_at: Generated<Timestamp>
  sort_name: GeneratedAlways<string>
}

export interface AuditLogTable {
  id: Generated<string>
  channel_id: string | null
  action: string
  actor_id: string | null
  actor_name: string | null
  target_id: string | null
  target_name: string | null
  room_ids: Generated<string[]>
  reason: string | null
  details: Generated<Json>
  created_at: Generated<Timestamp>
}

export interface BansTable {
  id: string
  channel_id: string
  account_id: string
  channel_name: string
  reason: string | null
  banned_by: string | null
  banned_at: Generated<Timestamp>
  banned_until: Timestamp | null
}

export interface CategoriesTable {
  id: string
  channel_id: string
  name: string
  sort: number
}

export interface ChannelNotificationsTable {
  account_id: string
  channel_id: string
  level: 'all' | 'mentions' | 'nothing' | null
  muted: Generated<boolean>
  muted_until: Timestamp | null
}

export interface ChannelPositionsTable {
  account_id: string
  channel_id: string
  position: number
}

export interface ChannelsTable {
  id: string
  name: string
  description: string | null
  image: string
  avatar_version: Generated<number>
  open: Generated<boolean>
  owner_id: string
  member_count: Generated<number>
  created_at: Generated<Timestamp>
  sort_name: GeneratedAlways<string>
  show_moderators: Generated<boolean>
  first_steps_hidden: Generated<boolean>
  deleted_at: Timestamp | null
}

export interface CommandsTable {
  application_id: string
  position: number
  name: string
  description: string
  usage: string | null
  options: Json | null
}

export interface ConsentsTable {
  account_id: string
  application_id: string
  scopes: string[]
  given_at: Generated<Timestamp>
  last_used_at: Timestamp | null
}

export interface DeletedPrivateRoomsTable {
  room_id: string
  channel_id: string
  admitted: string[]
  deleted_at: Generated<Timestamp>
}

export interface DeliveriesTable {
  id: string
  application_id: string
  seq: number | null
  event: string
  lane: string | null
  body: string
  state: 'pending' | 'delivered' | 'failed' | 'held'
  attempts: Generated<number>
  attempts_before: Generated<number>
  replayed: Generated<boolean>
  next_attempt_at: Timestamp | null
  first_attempt_at: Timestamp | null
  created_at: Generated<Timestamp>
  resumed: Generated<boolean>
}

export interface DeliveryAttemptsTable {
  delivery_id: string
  number: number
  at: Timestamp
  duration_ms: number
  url: string | null
  headers: Json | null
  status: number | null
  error: string | null
  answer: string | null
}

export interface EndedSessionsTable {
  token_hash: Buffer
  account_id: string
  reason: string
  ended_at: Timestamp
}

export interface EventTrimsTable {
  channel_id: string
  seq: number
}

export interface EventsTable {
  seq: GeneratedAlways<number>
  channel_id: string
  room_id: string | null
  actor_id: string | null
  event: string
  audience: string
  bot_readers: string[] | null
  body: string
  shown: string | null
  created_at: Timestamp
  for_bots: Json | null
}

export interface FilesTable {
  name: string
  expires_at: Generated<Timestamp> | null
}

export interface IdempotencyKeysTable {
  account_id: string
  key: string
  request_hash: Buffer
  answer: Json
  created_at: Generated<Timestamp>
}

export interface InstallationsTable {
  bot_id: string
  channel_id: string
  from_seq: number
  to_seq: number | null
}

export interface InstanceTable {
  only_row: Generated<boolean>
  name: Generated<string>
  registration_open: Generated<boolean>
  event_epoch: Generated<string>
  secret_verifier: Buffer | null
  created_at: Generated<Timestamp>
  first_steps_hidden: Generated<boolean>
  voice_tried: Generated<boolean>
  last_backup_at: Timestamp | null
}

export interface InvitationsTable {
  id: string
  channel_id: string
  code: string
  created_by: string | null
  created_at: Generated<Timestamp>
  expires_at: Timestamp | null
  max_uses: number | null
  uses: Generated<number>
}

export interface KicksTable {
  channel_id: string
  account_id: string
  kicked_at: Generated<Timestamp>
  channel_name: string | null
  reason: string | null
  kicked_by: string | null
}

export interface MemberRolesTable {
  channel_id: string
  account_id: string
  role_id: string
}

export interface MemberRoomsTable {
  account_id: string
  room_id: string
  channel_id: string
  read_up_to: string | null
  muted: Generated<boolean>
  level: 'all' | 'mentions' | 'nothing' | null
  muted_until: Timestamp | null
}

export interface MembersTable {
  channel_id: string
  account_id: string
  role_id: string
  is_bot: Generated<boolean>
  nickname: string | null
  sort_name: Generated<string>
  hidden_name: string | null
  chat_muted: Generated<boolean>
  chat_muted_until: Timestamp | null
  voice_muted: Generated<boolean>
  voice_muted_until: Timestamp | null
  joined_at: Generated<Timestamp>
  from_seq: Generated<number>
  chat_mute_reason: string | null
  chat_muted_by: string | null
  voice_mute_reason: string | null
  voice_muted_by: string | null
}

export interface MentionsTable {
  account_id: string
  room_id: string
  message_id: string
  channel_id: string
}

export interface MessageFilesTable {
  message_id: string
  upload_id: string
}

export interface MessageRemovalsTable {
  room_id: string
}

export interface MessageStreamsTable {
  message_id: string
  channel_id: string
  room_id: string
  bot_id: string
  text: string
  length: number
  appended_at: Generated<Timestamp>
  published: number
  published_at: Generated<Timestamp>
}

export interface MessagesTable {
  id: string
  channel_id: string
  room_id: string
  author_id: string
  text: string
  reply_to_id: string | null
  created_at: Timestamp
  edited_at: Timestamp | null
  pinned_at: Timestamp | null
  deleted_at: Timestamp | null
  mentioned_groups: string[] | null
  cards: Json | null
  components: Json | null
  streaming: string | null
}

export interface NotificationSettingsTable {
  account_id: string
  sound: Generated<boolean>
  quiet_from: string | null
  quiet_until: string | null
  time_zone: string | null
}

export interface OauthClientsTable {
  application_id: string
  redirect_uri: string
  secret_hash: Buffer
  secret_hint: string
  secret_issued_at: Generated<Timestamp>
  created_at: Generated<Timestamp>
}

export interface OauthGrantsTable {
  id: string
  account_id: string
  application_id: string
  payload: Json
  created_at: Generated<Timestamp>
  expires_at: Timestamp
}

export interface OauthInteractionsTable {
  id: string
  payload: Json
  expires_at: Timestamp
}

export interface OauthSessionsTable {
  id: string
  uid: string
  payload: Json
  expires_at: Timestamp
}

export interface OauthTokensTable {
  id_hash: Buffer
  kind: 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'
  grant_id: string
  scopes: string[]
  payload: Json
  consumed_at: Timestamp | null
  expires_at: Timestamp
}

export interface PicturesTable {
  account_id: string | null
  channel_id: string | null
  webp: Buffer | null
  file: string | null
}

export interface PushCursorTable {
  only_row: Generated<boolean>
  seq: number
}

export interface PushKeysTable {
  only_row: Generated<boolean>
  sealed: Buffer
  created_at: Generated<Timestamp>
}

export interface PushSubscriptionsTable {
  session_id: string
  account_id: string
  endpoint_hash: Buffer
  sealed: Buffer
  locale: 'en' | 'ru'
  created_at: Generated<Timestamp>
}

export interface PushesTable {
  session_id: string
  room_id: string
  channel_id: string
  message_id: string
  seq: number
  is_plain: boolean
  attempts: Generated<number>
  next_attempt_at: Timestamp
  created_at: Generated<Timestamp>
}

export interface QuotaCountingTable {
  only_row: Generated<boolean>
  epoch: Generated<number>
  token: string | null
  changed_at: Generated<Timestamp>
}

export interface QuotaLogTable {
  subject: string
  accepted: number[]
}

export interface QuotaNodesTable {
  node: string
  epoch: number
  reaches_redis: boolean
  seen_at: Timestamp
}

export interface QuotaWindowsTable {
  subject: string
  saved_at: Timestamp
  accepted: number[]
  reserved: number
}

export interface ReactionsTable {
  message_id: string
  emoji: string
  account_id: string
  created_at: Generated<Timestamp>
}

export interface ReplicaMarkTable {
  only_row: Generated<boolean>
  timeline: string
  mark: string
}

export interface ResetLinksTable {
  account_id: string
  code_hash: Buffer
  expires_at: Timestamp
}

export interface RevokedEventTokensTable {
  token_id: string
  expires_at: Timestamp
}

export interface RolesTable {
  id: string
  channel_id: string
  system_name: 'CHANNEL_OWNER' | 'CHANNEL_ADMIN' | 'CHANNEL_MODERATOR' | 'CHANNEL_MEMBER' | 'CHANNEL_BOT' | 'CUSTOM'
  name: string
  rank: number
  rights: string[]
  color: string | null
}

export interface RoomAdmissionsTable {
  channel_id: string
  room_id: string
  role_id: string | null
  account_id: string | null
}

export interface RoomOverridesTable {
  channel_id: string
  room_id: string
  role_id: string
  allow: string[]
  deny: string[]
}

export interface RoomsTable {
  id: string
  channel_id: string
  category_id: string | null
  type: 'text' | 'voice' | 'stream'
  name: string
  topic: string | null
  private: Generated<boolean>
  user_limit: number | null
  sort: number
  created_at: Generated<Timestamp>
}

export interface SavedMutesTable {
  channel_id: string
  account_id: string
  chat_muted: boolean
  chat_muted_until: Timestamp | null
  voice_muted: boolean
  voice_muted_until: Timestamp | null
  chat_mute_reason: string | null
  chat_muted_by: string | null
  voice_mute_reason: string | null
  voice_muted_by: string | null
}

export interface SdkPackagesTable {
  name: string
  content: Buffer
  first_downloaded_at: Generated<Timestamp>
}

export interface ServingProcessTable {
  only_row: Generated<boolean>
  holder: string
  since: Generated<Timestamp>
  signed_off_at: Timestamp | null
  quotas_saved: Generated<boolean>
}

export interface SessionsTable {
  id: string
  account_id: string
  token_hash: Buffer
  device: string
  address: string
  created_at: Generated<Timestamp>
  last_used_at: Generated<Timestamp>
  active_at: Timestamp | null
}

export interface SignInFailuresTable {
  subject: string
  failed_at: Generated<Timestamp>
}

export interface SignInKeysTable {
  purpose: string
  sealed: Buffer
  created_at: Generated<Timestamp>
}

export interface StreamKeysTable {
  channel_id: string
  account_id: string
  room_id: string
  key_hash: Buffer
  hint: string
  issued_at: Generated<Timestamp>
  last_used_at: Timestamp | null
}

export interface StreamOwnersTable {
  application_id: string
  generation: number
  token_id: string
  client: string
  address: string
  connected_at: Generated<Timestamp>
  disconnected_at: Timestamp | null
  seen_at: Generated<Timestamp>
  phase: Generated<'idle' | 'behind' | 'live'>
  delivered_seq: number | null
  displaced_address: string | null
  displaced_client: string | null
  displaced_at: Timestamp | null
  displacer_client: string | null
  displacer_address: string | null
  takeovers: Generated<number>
  takeovers_since: Generated<Timestamp>
  kinds: string[] | null
}

export interface UploadSharesTable {
  owner_id: string
  bytes: Generated<number>
}

export interface UploadUsageTable {
  only_row: Generated<boolean>
  bytes: Generated<number>
}

export interface UploadsTable {
  id: string
  room_id: string
  uploader_id: string
  name: string
  size: number
  stored_bytes: number
  type: string | null
  width: number | null
  height: number | null
  file: string | null
  preview: string | null
  created_at: Generated<Timestamp>
  was_sent: Generated<boolean>
  expires_at: Generated<Timestamp> | null
  owner_id: string | null
}

export interface VoiceSessionsTable {
  channel_id: string
  account_id: string
  room_id: string
  joined_at: Generated<Timestamp>
  live: Generated<boolean>
}

export interface WebhookGapsTable {
  application_id: string
  from_seq: number
  to_seq: number | null
}

export interface WebhooksTable {
  application_id: string
  url: string
  secret: Buffer
  active: Generated<boolean>
  paused: Generated<boolean>
  failed_streak: Generated<number>
  last_error: string | null
  last_success_at: Timestamp | null
  failing_since: Timestamp | null
  turned_off_at: Timestamp | null
  cursor_seq: number
  leased_by: string | null
  leased_until: Timestamp | null
  created_at: Generated<Timestamp>
  resumed_to_seq: Generated<number>
  kinds: string[] | null
}
