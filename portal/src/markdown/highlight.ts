/** What a piece of code is; each kind has a color. */
export type CodeKind = 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'added' | 'removed'

export interface CodePart {
  readonly text: string
  /** Absent: plain code. */
  readonly kind?: CodeKind
}

interface Syntax {
  /** Each pattern is tried where the previous part ended, in this order. */
  readonly rules: readonly (readonly [CodeKind, RegExp])[]
  readonly keywords: ReadonlySet<string>
}

/** Longer code is shown without colors: a message has at most 4,000 characters, but samples in the portal may be longer. */
const MAX_LENGTH = 8000

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

// Every pattern is linear: none has a repetition within a repetition.
const LINE_COMMENT = /\/\/[^\n]*/y
const BLOCK_COMMENT = /\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/y
const HASH_COMMENT = /#[^\n]*/y
const DASH_COMMENT = /--[^\n]*/y
const QUOTED = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/y
const TEMPLATE = /`(?:[^`\\]|\\[\s\S])*`?/y
const TRIPLE = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/y
const NUMBER = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b/iy
const TAG = /<\/?[\w:-]+|\/?>/y
const ATTRIBUTE = /[\w:@-]+(?==)/y
const PROPERTY = /[\w-]+(?=\s*:)/y
const WORD = /[\p{L}_$@][\p{L}\p{N}_$]*/uy

const C_COMMENTS = [
  ['comment', LINE_COMMENT],
  ['comment', BLOCK_COMMENT],
] as const

const C_LIKE: Syntax = {
  rules: [...C_COMMENTS, ['string', QUOTED], ['string', TEMPLATE], ['number', NUMBER]],
  keywords: words(
    'abstract as async await bool boolean break case catch char class const constexpr continue default defer delete do double else enum export extends extern false final finally float fn for foreach from func function get go goto if impl implements import in inline instanceof int interface internal is let long loop match mod module move mut namespace new nil null nullptr number object of operator override package private protected pub public range readonly ref return satisfies sealed self set short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof undefined union unsigned unsafe use using val var virtual void volatile when where while with yield',
  ),
}

const SCRIPT: Syntax = {
  rules: [
    ['comment', HASH_COMMENT],
    ['string', TRIPLE],
    ['string', QUOTED],
    ['string', TEMPLATE],
    ['number', NUMBER],
  ],
  keywords: words(
    'and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally fn for from function global if import in is lambda let local match module next nil None nonlocal not null of or pass raise require rescue return self set then true True try unless until when while with yield',
  ),
}

const SQL: Syntax = {
  rules: [
    ['comment', DASH_COMMENT],
    ['comment', BLOCK_COMMENT],
    ['string', QUOTED],
    ['number', NUMBER],
  ],
  keywords: words(
    'add all alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with',
  ),
}

const DATA: Syntax = {
  rules: [
    ['comment', HASH_COMMENT],
    ['comment', LINE_COMMENT],
    ['name', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y],
    ['string', QUOTED],
    ['name', PROPERTY],
    ['number', NUMBER],
  ],
  keywords: words('true false null yes no on off'),
}

const CSS: Syntax = {
  rules: [
    ['comment', BLOCK_COMMENT],
    ['string', QUOTED],
    ['keyword', /@[\w-]+/y],
    ['name', PROPERTY],
    ['number', /-?\d[\d.]*(?:[a-z%]+)?/iy],
  ],
  keywords: words('important inherit initial none auto'),
}

const MARKUP: Syntax = {
  rules: [
    ['comment', /<!--[\s\S]*?(?:-->|$)/y],
    ['keyword', TAG],
    ['name', ATTRIBUTE],
    ['string', QUOTED],
  ],
  keywords: new Set(),
}

const DIFF: Syntax = {
  rules: [
    ['comment', /^(?:@@|diff |index |\+\+\+|---)[^\n]*/my],
    ['added', /^\+[^\n]*/my],
    ['removed', /^-[^\n]*/my],
  ],
  keywords: new Set(),
}

const SYNTAXES: readonly (readonly [Syntax, string])[] = [
  [
    C_LIKE,
    'c c++ cpp cs csharp dart go golang java javascript js jsx kotlin kt mjs cjs php rs rust scala swift ts tsx typescript zig',
  ],
  [
    SCRIPT,
    'bash console dockerfile elixir ex make makefile nim perl pl powershell ps1 py python r rb ruby sh shell zsh',
  ],
  [SQL, 'lua mysql pgsql postgres postgresql sql sqlite'],
  [DATA, 'env ini json json5 jsonc properties toml yaml yml'],
  [CSS, 'css less scss'],
  [MARKUP, 'html svelte svg vue xml'],
  [DIFF, 'diff patch'],
]

const BY_NAME = new Map(SYNTAXES.flatMap(([syntax, names]) => names.split(' ').map((name) => [name, syntax] as const)))

/** The parts of a piece of code, which together are the same text. One pass, without going back. */
export function highlight(code: string, language: string): readonly CodePart[] {
  const syntax = BY_NAME.get(language.toLowerCase())
  if (!syntax || code.length > MAX_LENGTH) return [{ text: code }]
  const ignoresCase = syntax === SQL
  const parts: CodePart[] = []
  let plain = ''

  function add(text: string, kind: CodeKind | undefined): void {
    if (kind === undefined) {
      plain += text
      return
    }
    if (plain !== '') parts.push({ text: plain })
    plain = ''
    parts.push({ text, kind })
  }

  for (let at = 0; at < code.length;) {
    const found = firstMatch(syntax.rules, code, at)
    const word = found ? undefined : matchAt(WORD, code, at)
    const text = found?.text ?? word ?? String.fromCodePoint(code.codePointAt(at) ?? 0)
    const isKeyword = word !== undefined && syntax.keywords.has(ignoresCase ? word.toLowerCase() : word)
    add(text, found?.kind ?? (isKeyword ? 'keyword' : undefined))
    at += text.length
  }
  return plain === '' ? parts : [...parts, { text: plain }]
}

function firstMatch(rules: Syntax['rules'], code: string, at: number): { text: string; kind: CodeKind } | undefined {
  for (const [kind, pattern] of rules) {
    const text = matchAt(pattern, code, at)
    if (text !== undefined) return { text, kind }
  }
  return undefined
}

function matchAt(pattern: RegExp, code: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(code)?.[0] || undefined
}
