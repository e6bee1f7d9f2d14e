/** What must be true after every step, and how a violation is introduced. */
export const RULES = {
  'error page': 'no error page and no part of a page that failed',
  'page error': 'no error that nobody catches',
  console: 'no error in the console that is the portal’s',
  answers: 'no request that the server can’t make sense of',
  'request loop': 'no more than 30 requests of one kind in 5 s',
  dialogs: 'every dialog closes with Esc, and the focus is somewhere then',
  typed: 'what was typed is there or was sent',
  messages: 'everyone who may read a message sees it once and in order',
  counts: 'unread marks agree with the server',
  private: 'nothing of a private room remains for those who left it',
  width: 'no page is wider than its window',
  alive: 'every page reacts',
  server: 'the program reports no error and doesn’t end',
} as const

export type Rule = keyof typeof RULES

export interface LoggedStep {
  readonly at: number
  readonly person: string
  readonly tab: number
  readonly action: string
  readonly target: string
  readonly outcome: string
  readonly before: string
  readonly after: string
}

export interface Violation {
  readonly rule: Rule
  readonly what: string
  readonly person: string
  readonly steps: readonly LoggedStep[]
  readonly screenshot: string | undefined
  readonly stack: string | undefined
}
