import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { botProject } from './bot-project.ts'
import type { Command } from './commands.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** What npm accepts as a name, without scopes. */
const NAME = /^[a-z][a-z0-9-]{0,49}$/

export const newBot: Command = {
  usage: 'new-bot <name>',
  about: 'Write a small project for a bot into a new folder',
  runsWithInvalidSettings: true,
  run: async (_config, args) => {
    const [path = ''] = args
    const folder = resolve(path)
    const name = basename(folder)
    if (path === '' || args.length > 1 || !NAME.test(name)) {
      process.stderr.write('Give a name of lowercase letters, digits and hyphens: npx portico new-bot my-bot\n')
      return 2
    }
    if (!(await isEmptyOrMissing(folder))) {
      process.stderr.write(`${folder} isn’t an empty folder. Choose another name.\n`)
      return 2
    }
    const sdk = JSON.parse(await readFile(join(ROOT, 'sdk/package.json'), 'utf8')) as { version: string }
    await mkdir(folder, { recursive: true })
    for (const [file, text] of Object.entries(botProject(name, sdk.version))) {
      await writeFile(join(folder, file), text, { flag: 'wx' })
    }
    process.stdout.write(nextSteps(folder))
    return 0
  },
}

async function isEmptyOrMissing(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return true
    // It is a file, or below one.
    if (code === 'ENOTDIR') return false
    throw error
  }
}

function nextSteps(folder: string): string {
  return `
  Wrote a bot to ${folder}. Next:

    cd "${ROOT}" && node sdk/tooling/build.ts && npm pack ./sdk/dist --pack-destination "${folder}"
    cd "${folder}" && npm install && cp .env.example .env

  Put the key of your application into .env, and start the bot with node bot.ts. README.md says more.

`
}
