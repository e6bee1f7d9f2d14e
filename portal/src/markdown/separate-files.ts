import type { FileLink } from '#files/file-link.ts'
import type { Block, Inline } from './nodes.ts'

/**
 * Splits a paragraph at its files: they are shown as blocks between the text before and after them. A link to a file
 * within a sentence stays a link.
 */
export function separateFiles(inside: readonly Inline[]): Block[] {
  const blocks: Block[] = []
  let text: Inline[] = []
  let files: FileLink[] = []
  const endText = (): void => {
    const trimmed = withoutBlankEnds(text)
    if (trimmed.length > 0) blocks.push({ kind: 'paragraph', inside: trimmed })
    text = []
  }
  const endFiles = (): void => {
    if (files.length > 0) blocks.push({ kind: 'files', files })
    files = []
  }
  for (const [index, part] of inside.entries()) {
    if (part.kind === 'file' && (part.file.kind === 'picture' || isAlone(inside, index))) {
      endText()
      files.push(part.file)
    } else {
      if (!isBlank(part)) endFiles()
      text.push(part)
    }
  }
  endFiles()
  endText()
  return blocks.some(({ kind }) => kind === 'files') ? blocks : [{ kind: 'paragraph', inside }]
}

/** Every picture of a text, in order. */
export function picturesIn(blocks: readonly Block[]): FileLink[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'files') return block.files.filter(({ kind }) => kind === 'picture')
    if (block.kind === 'quote') return picturesIn(block.blocks)
    return block.kind === 'list' ? block.items.flatMap(picturesIn) : []
  })
}

/** Nothing else is on its line, except other files. */
function isAlone(inside: readonly Inline[], index: number): boolean {
  return [inside[index - 1], inside[index + 1]].every((part) => !part || part.kind === 'break' || part.kind === 'file')
}

function withoutBlankEnds(text: readonly Inline[]): Inline[] {
  const from = text.findIndex((part) => !isBlank(part))
  const to = text.findLastIndex((part) => !isBlank(part))
  return text.slice(Math.max(0, from), to + 1).map((part, index, { length }) => {
    if (part.kind !== 'text') return part
    const begun = index === 0 ? part.text.trimStart() : part.text
    return { kind: 'text', text: index === length - 1 ? begun.trimEnd() : begun }
  })
}

function isBlank(part: Inline): boolean {
  return part.kind === 'break' || (part.kind === 'text' && part.text.trim() === '')
}
