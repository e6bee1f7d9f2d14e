import type { RendererExtension, Token, Tokens } from 'marked'
import { codeBlock } from './code.ts'
import { html } from './html.ts'

/** What a reader chooses, by the language of a code block. */
const LANGUAGES = new Map([
  ['sh', 'curl'],
  ['ts', 'TypeScript'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
])

interface Samples {
  readonly type: 'samples'
  readonly raw: string
  readonly blocks: readonly Tokens.Code[]
}

/** Code blocks in different languages with nothing between them are one sample: the reader sees it in one language. */
export function groupSamples(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  let blocks: Tokens.Code[] = []
  const finish = (): void => {
    const raw = blocks.map((block) => block.raw).join('')
    result.push(...(blocks.length > 1 ? [{ type: 'samples', raw, blocks } satisfies Samples] : blocks))
    blocks = []
  }
  for (const token of tokens) {
    if (token.type === 'space' && blocks.length > 0) continue
    const block = toBlock(token)
    if (!block || blocks.some(({ lang }) => lang === block.lang)) finish()
    if (block) blocks.push(block)
    else result.push(token)
  }
  finish()
  return result
}

export const samplesExtension: RendererExtension = {
  name: 'samples',
  renderer: (token) => {
    const { blocks } = token as unknown as Samples
    const figures = blocks.map(({ lang = '', text }) => {
      const language = LANGUAGES.get(lang) ?? lang
      return codeBlock(html`${language}`, html`${text}`, language)
    })
    return html`<div class="samples">${figures}</div>`.markup
  },
}

function toBlock(token: Token): Tokens.Code | undefined {
  if (token.type !== 'code') return undefined
  const block = token as Tokens.Code
  return LANGUAGES.has(block.lang ?? '') ? block : undefined
}
