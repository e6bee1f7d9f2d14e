/** Whether something that is dragged over the page contains files. */
export function hasFiles(transfer: DataTransfer | null): transfer is DataTransfer {
  return transfer?.types.includes('Files') ?? false
}

/** The files that were dropped, without folders, which browsers list as files that can't be read. */
export function droppedFiles({ items }: DataTransfer): File[] {
  return [...items].flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile()
    return file ? [file] : []
  })
}

/** The files to attach when something is pasted. Office programs add a picture of text that is meant as text. */
export function pastedFiles(transfer: DataTransfer | null): File[] {
  if (!hasFiles(transfer)) return []
  const { types, files } = transfer
  return types.includes('text/plain') && types.includes('text/html') ? [] : [...files]
}
