/** Something that can be pressed or filled in. */
export interface Control {
  /** Its number among those that were found, for `element`. */
  readonly index: number
  readonly role: string
  /** The accessible name, shortened. */
  readonly name: string
  /** The dialog, menu or part of the page that it is in. */
  readonly within: string
  readonly isField: boolean
  readonly isInViewport: boolean
}

/** What is open over the page, the lowest first. */
export interface Layer {
  readonly id: number
  readonly kind: 'dialog' | 'popover'
  readonly title: string
  /** It can’t be dismissed, because closing it would lose something. */
  readonly isPersistent: boolean
}

export interface ShownRow {
  readonly key: string
  readonly time: string
  readonly text: string
  readonly isUnsent: boolean
  readonly isEdited: boolean
  /** Between rows out of view, which stay for a while or because they have the focus, others may be missing. */
  readonly isInView: boolean
}

/** What a page shows: read at once, so that it is of one moment. */
export interface View {
  readonly address: string
  readonly layers: readonly Layer[]
  /** Headings of error states and error pages. */
  readonly errors: readonly string[]
  readonly isBlank: boolean
  /** How far the page is wider than its window, in pixels, and what is too wide. */
  readonly overflow: { readonly by: number; readonly widest: string } | undefined
  readonly focus: string
  /** The text of the message field; undefined if there is none. */
  readonly composer: string | undefined
  /** The texts of all fields. */
  readonly fields: readonly string[]
  /** What is shown at the message field: files, and a message that waits for them. */
  readonly waiting: string
  readonly rows: readonly ShownRow[]
  /** The last message of the room is visible. */
  readonly isAtEnd: boolean
  /** Everything that the page stores in localStorage. */
  readonly stored: string
}

/** What this browser stores for pages without a connection, and of messages that wait to be sent. */
export interface Stores {
  /** The texts of the messages by room. */
  readonly rooms: Readonly<Record<string, readonly string[]>>
  readonly queries: string
  readonly outbox: string
}

/** A room in the sidebar. */
export interface ShownRoom {
  readonly roomId: string
  readonly name: string
  readonly isUnread: boolean
  readonly mentions: number
  readonly isCurrent: boolean
}

/** A row of the list of members. */
export interface ShownMember {
  readonly userId: string
  readonly name: string
  readonly isOnline: boolean
}
