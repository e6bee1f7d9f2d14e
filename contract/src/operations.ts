import * as accounts from './accounts.ts'
import * as administration from './administration.ts'
import * as applications from './applications.ts'
import * as channels from './channels.ts'
import * as commands from './commands.ts'
import * as components from './components.ts'
import * as defects from './defects.ts'
import * as events from './events.ts'
import * as explanations from './explanations.ts'
import * as firstSteps from './first-steps.ts'
import * as history from './history.ts'
import * as installations from './installations.ts'
import * as invitations from './invitations.ts'
import * as presence from './presence.ts'
import * as members from './members.ts'
import * as messages from './messages.ts'
import * as messageStreams from './message-streams.ts'
import * as moderation from './moderation.ts'
import * as notices from './notices.ts'
import * as roomPage from './room-page.ts'
import { isOperation, type Operation } from './operation.ts'
import * as notifications from './notifications.ts'
import * as unread from './unread.ts'
import * as personalData from './personal-data.ts'
import * as push from './push.ts'
import * as roles from './roles.ts'
import * as roomReaders from './room-readers.ts'
import * as rooms from './rooms.ts'
import * as signIn from './sign-in.ts'
import * as suggestions from './suggestions.ts'
import * as uploads from './uploads.ts'
import * as voice from './voice.ts'
import * as webhooks from './webhooks.ts'

const subjects = {
  accounts,
  roomPage,
  personalData,
  administration,
  firstSteps,
  channels,
  rooms,
  roles,
  members: { ...members, ...roomReaders },
  invitations,
  messages: { ...messages, ...messageStreams, ...components },
  notices,
  uploads,
  history,
  unread,
  notifications,
  presence,
  voice,
  moderation,
  applications,
  installations,
  explanations,
  events,
  webhooks,
  push,
  commands: { ...commands, ...suggestions },
  signIn,
  defects,
}

export const api = {
  ...accounts,
  ...roomPage,
  ...personalData,
  ...administration,
  ...firstSteps,
  ...channels,
  ...rooms,
  ...roles,
  ...members,
  ...roomReaders,
  ...invitations,
  ...messages,
  ...messageStreams,
  ...notices,
  ...components,
  ...uploads,
  ...history,
  ...unread,
  ...notifications,
  ...presence,
  ...voice,
  ...moderation,
  ...applications,
  ...installations,
  ...explanations,
  ...events,
  ...webhooks,
  ...push,
  ...commands,
  ...suggestions,
  ...signIn,
  ...defects,
}

export type OperationName = {
  [K in keyof typeof api]: (typeof api)[K] extends Operation ? K : never
}[keyof typeof api]

/** Every operation under its one name, which is also its `operationId` and its function on the server. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(api).flatMap(([name, value]): [string, Operation][] => (isOperation(value) ? [[name, value]] : [])),
)

/** What an operation is about: the file of the contract that describes it. */
export type Subject = keyof typeof subjects

export const subjectOf: ReadonlyMap<string, Subject> = new Map(
  (Object.keys(subjects) as Subject[]).flatMap((subject) =>
    Object.keys(subjects[subject]).map((name): [string, Subject] => [name, subject]),
  ),
)
