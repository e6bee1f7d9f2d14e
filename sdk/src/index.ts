/**
 * Bots for a Portico portal.
 *
 * @packageDocumentation
 */
export * from './bot/bot.ts'
export type * from './bot/bot-options.ts'
export * from './client/call-options.ts'
export { Client, type ClientOptions } from './client/client.ts'
export type { CommandDescription } from './commands/declare-commands.ts'
export type { ConnectionProblem } from './client/connection-problem.ts'
export { parseCommand, type ParsedCommand } from './commands/parse-command.ts'
export {
  boolean,
  choice,
  integer,
  member,
  number,
  role,
  room,
  string,
  type BoundedSettings,
  type MakeBoundedOption,
  type MakeOption,
  type NoOptions,
  type OptionDeclarations,
  type OptionSettings,
  type OptionsOf,
  type Suggest,
  type SuggestContext,
  type Suggested,
  type TypedOption,
} from './commands/options.ts'
export type { OptionProblem, OptionValue } from './commands/parse-options.ts'
export { stripFormatting } from './commands/strip-formatting.ts'
export { CommandContext } from './bot/command-context.ts'
export * from './bot/context.ts'
export { MessageStream } from './bot/message-stream.ts'
export { escapeMarkdown } from './text/escape-markdown.ts'
export { mention, mentionRole } from './text/mention.ts'
export type { NewFile } from './bot/with-files.ts'
export type { Middleware } from './bot/middleware.ts'
export { RetriesExhaustedError, RetryLaterError, type Retry, type RetryOptions } from './bot/retry.ts'
export {
  ApiError,
  ConnectionError,
  DisplacedError,
  ForbiddenError,
  MissingRightError,
  MissingScopeError,
  MissingScopesError,
  NotFoundError,
  PorticoError,
  QuotaError,
  ServerError,
  StreamClosedError,
  TimeoutError,
  UnauthorizedError,
  UnprocessableError,
  ValidationError,
  type ErrorBody,
} from './client/errors.ts'
export type { BotEvent, EventName, MessageEventName } from './events/event.ts'
export type { EventOrder } from './events/event-order.ts'
export {
  filePositions,
  memoryPositions,
  type Position,
  type PositionStore,
  type SessionStore,
  type StateChange,
} from './events/positions.ts'
export { sqlitePositions } from './events/sqlite-positions.ts'
export type { SessionOptions, WithSession } from './bot/sessions.ts'
export type { WebSocketConstructor, WebSocketLike } from './events/web-socket.ts'
export type {
  ButtonHandler,
  CommandHandler,
  ContextOf,
  EventContext,
  EventHandler,
  HearsHandler,
  HearsOptions,
  Matched,
  SelectHandler,
} from './bot/handlers.ts'
export type { OperationName } from './client/operations.ts'
export type * from './client/resources.ts'
export { MediaConnection, type Recording } from './voice/media-connection.ts'
export type { Voice } from './voice/voice.ts'
export { VoiceRoom } from './voice/voice-room.ts'
export { readWav, writeWav, type Pcm } from './voice/wav.ts'
export {
  toExpressHandler,
  toFastifyPlugin,
  toHonoHandler,
  toNodeHandler,
  type FastifyInstanceLike,
  type NodeRequest,
  type NodeResponse,
} from './webhook/adapters.ts'
export { type WebhookHandler, type WebhookOptions } from './webhook/webhook.ts'
