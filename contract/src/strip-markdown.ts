import { hideSpoilers, type Cut } from './hide-spoilers.ts'

const FENCE = /^```[\w+#.-]*\n/gm
/** Each part ends where the next link could begin, so the time grows with the length of the text, not with its square. */
const LINK = /!?\[([^[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g
const AROUND = /(?<![\w*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*_])/g

/** The text without Markdown syntax and spoilers, for quotes, notifications and screen readers. */
export function stripMarkdown(text: string, cut?: Cut): string {
  return hideSpoilers(text, cut)
    .replaceAll(FENCE, '')
    .replaceAll(LINK, '$1')
    .replaceAll(/\*\*|__|~~|`+/g, '')
    .replaceAll(AROUND, '$2')
    .replaceAll(/^#{1,6} |^> ?/gm, '')
    .replaceAll(/^[-*] /gm, '• ')
    .replaceAll(/\n{2,}/g, '\n')
}
