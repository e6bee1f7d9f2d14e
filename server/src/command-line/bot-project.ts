/** The files of a new bot's project, by name. */
export function botProject(name: string, archive: string): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(name, archive), null, 2)}\n`,
    'bot.ts': BOT,
    '.env.example': 'PORTICO_URL=http://localhost:3000\nPORTICO_KEY=portico_bot_…\n',
    '.gitignore': 'node_modules\n.env\nposition.json\n',
    'README.md': readme(name, archive),
  }
}

function manifest(name: string, archive: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { start: 'node bot.ts' },
    dependencies: { '@portico/sdk': `file:${archive}` },
    engines: { node: '>=22.18' },
  }
}

const BOT = `import { existsSync } from 'node:fs'
import { Bot, filePositions } from '@portico/sdk'

if (existsSync('.env')) process.loadEnvFile()
const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const bot = new Bot({ url, key, positions: filePositions('position.json') })

bot.command('/hello', { description: 'Says hello' }, (ctx) => ctx.reply(\`Hello, **\${ctx.author.name}**!\`))

await bot.run()
`

function readme(name: string, archive: string): string {
  return `# ${name}

A bot for a Portico portal. It needs Node 22.18 or newer, which runs TypeScript directly.

1. Install the SDK, which is in \`${archive}\`: \`npm install\`
2. In the portal, under **Applications**: create an application, issue a key with the scopes \`commands\`, \`events\` and
   \`messages:write\`, and install the application in a channel.
3. Copy \`.env.example\` to \`.env\`, and put the address of the portal and the key into it.
4. Start the bot: \`node bot.ts\`

Write \`/hello\` in the channel, and it replies. \`position.json\` remembers which events the bot has handled: after a restart it
continues there.

Every portal describes the SDK and its API at \`/docs\`, and offers the SDK of its own version at \`/docs/portico-sdk.tgz\`. To
update: \`npm install <address of the portal>/docs/portico-sdk.tgz\`
`
}
