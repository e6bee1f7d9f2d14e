const FENCE = /^```[\w+#.-]*\n/gm
const LINK = /!?\[([^\]\n]*)\]\([^)\s]*\)/g
const AROUND = /(?<![\w*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*_])/g

/** A text as it is told in passing: in a quoted line, in a notification, aloud. Signs of Markdown would be in the way there. */
export function stripMarkdown(text: string): string {
  return text
    .replaceAll(FENCE, '')
    .replaceAll(LINK, '$1')
    .replaceAll(/\*\*|__|~~|`+/g, '')
    .replaceAll(AROUND, '$2')
    .replaceAll(/^#{1,6} |^> ?/gm, '')
    .replaceAll(/^[-*] /gm, '• ')
    .replaceAll(/\n{2,}/g, '\n')
}
