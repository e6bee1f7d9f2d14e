import type { FileLink } from '#files/file-link.ts'

/** Parsed text: it contains no HTML, and every link is safe to follow. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del' | 'spoiler'; readonly inside: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Inline[] }
  /** Of a member by id, of a role by `&` and its id, or of `everyone` or `here`. */
  | { readonly kind: 'mention'; readonly target: string; readonly text: string }
  | { readonly kind: 'file'; readonly file: FileLink }
  | { readonly kind: 'break' }
  | { readonly kind: 'checkbox'; readonly checked: boolean }

export type Block =
  | { readonly kind: 'paragraph'; readonly inside: readonly Inline[] }
  | { readonly kind: 'heading'; readonly inside: readonly Inline[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'files'; readonly files: readonly FileLink[] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }

export type Cell = readonly Inline[]
