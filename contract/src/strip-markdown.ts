const FENCE = /^```[\w+#.-]*\n/gm
const SPOILER = /\|\|(?=\S)[\s\S]*?\S\|\|/g
const LINK = /!?\[([^\]\n]*)\]\([^)\s]*\)/g
const AROUND = /(?<![\w*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*_])/g

/** The text without Markdown syntax and spoilers, for quotes, notifications and screen readers. */
export function stripMarkdown(text: string): string {
  return text
    .replaceAll(FENCE, '')
    .replaceAll(SPOILER, '▒▒▒')
    .replaceAll(LINK, '$1')
    .replaceAll(/\*\*|__|~~|`+/g, '')
    .replaceAll(AROUND, '$2')
    .replaceAll(/^#{1,6} |^> ?/gm, '')
    .replaceAll(/^[-*] /gm, '• ')
    .replaceAll(/\n{2,}/g, '\n')
}
