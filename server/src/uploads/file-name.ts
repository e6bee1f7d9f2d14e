const LONGEST = 100
const LONGEST_EXTENSION = 16
/** What Windows refuses in names, and what ends or formats a link in Markdown. */
const REPLACED = /[<>:"|?*`]/g
/** Control characters, and those that are invisible or change the direction of writing. Emoji and Persian need U+200C and U+200D. */
const REMOVED = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu
/** The name of the preview in the address of a file. */
const TAKEN = 'preview'

/** The name under which an uploaded file is shown and downloaded: no path, and nothing that a file system refuses. */
export function fileName(sent: string): string {
  const plain = sent.normalize('NFC').replaceAll('\\', '/').split('/').at(-1) ?? ''
  const clean = plain.replaceAll(REMOVED, '').replaceAll(REPLACED, '_').replaceAll(/\s+/g, ' ')
  const name = shortened(clean.replaceAll(/^[. ]+|[. ]+$/g, '')) || 'file'
  return name === TAKEN ? `${TAKEN}.bin` : name
}

/** Keeps the extension. */
function shortened(name: string): string {
  const characters = [...name]
  if (characters.length <= LONGEST) return name
  const extension = /\.[^.]+$/.exec(name)?.[0] ?? ''
  const kept = [...extension].length > LONGEST_EXTENSION ? '' : extension
  return (
    characters
      .slice(0, LONGEST - [...kept].length)
      .join('')
      .trimEnd() + kept
  )
}
