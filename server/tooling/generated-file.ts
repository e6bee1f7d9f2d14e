import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'

/** A file that is generated from the code, committed and reviewed as a diff. */
export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Writes the files, or with `--check` says which are stale and makes the process fail. `writer` is the program to run. */
export async function writeOrCheck(files: readonly GeneratedFile[], writer: string): Promise<void> {
  const checking = process.argv.includes('--check')
  for (const { path, content } of files) {
    const shown = relative(process.cwd(), path)
    if (!checking) {
      await writeFile(path, content)
      console.log(`wrote ${shown}`)
    } else if ((await readFile(path, 'utf8').catch(() => '')).replaceAll('\r\n', '\n') === content) {
      console.log(`${shown} is up to date`)
    } else {
      console.error(`${shown} is stale. Run: node ${relative(process.cwd(), writer)}`)
      process.exitCode = 1
    }
  }
}
