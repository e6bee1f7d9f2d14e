import { constants, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { COMMAND } from '../config/command.ts'
import { sdkArchive } from '../config/sdk-archive.ts'
import { botProject } from './bot-project.ts'
import type { Run } from './command.ts'

/** What npm accepts as a name, without scopes. */
const NAME = /^[a-z][a-z0-9-]{0,49}$/

export const runNewBot: Run = async (_config, { operands: [path = ''] }) => {
  const folder = resolve(path)
  const name = basename(folder)
  if (!NAME.test(name)) {
    process.stderr.write(`Give a name of lowercase letters, digits and hyphens: ${COMMAND} new-bot my-bot\n`)
    return 2
  }
  if (!(await isEmptyOrMissing(folder))) {
    process.stderr.write(`${folder} isn’t an empty folder. Choose another name.\n`)
    return 2
  }
  const sdk = sdkArchive()
  if (!sdk) {
    process.stderr.write(`The package of the SDK is missing: npm run build -w sdk\n`)
    return 1
  }
  for (const [path, text] of Object.entries(botProject(name, sdk.name))) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  }
  // A copy, because the package isn't on npm, and the project shouldn't change when this portal is upgraded.
  await copyFile(sdk.path, join(folder, sdk.name), constants.COPYFILE_EXCL)
  process.stdout.write(nextSteps(path))
  return 0
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

function nextSteps(path: string): string {
  return `
  Wrote a bot to ${path}. Next:

    cd "${path}"
    npm install
    cp .env.example .env

  Put the address of your portal and the key of your application into .env, and start the bot with npm start.
  README.md says more.

`
}
