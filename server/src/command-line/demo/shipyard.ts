import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '@portico/sdk'
import type { Answers } from './run-bots.ts'

const DEPLOY_MS = 2000
const MAX_LENGTH = 40

interface Builds {
  staging: string
  before: string
}

/** Shipyard only pretends to deploy. It keeps the list of deployments in memory until the demo stops. */
export function shipyard(): Answers<'shipyard'> {
  const services = new Map<string, Builds>([
    ['tramline', { staging: '1.4.0', before: '1.3.2' }],
    ['feed', { staging: '0.9.4', before: '0.9.3' }],
    ['hallway', { staging: '2.0.1', before: '2.0.0' }],
  ])

  async function deploy(ctx: CommandContext, service: string, version: string): Promise<void> {
    await ctx.reply(`Deploying **${service} ${version}** to *staging*.`)
    await sleep(DEPLOY_MS)
    services.set(service, { staging: version, before: services.get(service)?.staging ?? version })
    await ctx.reply(`**${service} ${version}** is on *staging*.`)
  }

  return {
    '/deploy': async (ctx) => {
      const [service, version = 'latest'] = ctx.args.map((argument) => argument.slice(0, MAX_LENGTH))
      if (service === undefined) await ctx.reply('Which service? `/deploy tramline 1.4.1`')
      else await deploy(ctx, service, version)
    },
    '/status': async (ctx) => {
      const rows = [...services].map(([name, { staging, before }]) => `| ${name} | ${staging} | ${before} |`)
      // At most the twelve newest, so that the list stays short.
      await ctx.reply(['| Service | Staging | Before |', '|---|---|---|', ...rows.slice(-12)].join('\n'))
    },
    '/rollback': async (ctx) => {
      const [service = ''] = ctx.args
      const builds = services.get(service)
      if (builds) await deploy(ctx, service, builds.before)
      else await ctx.reply(`Which service? I know ${[...services.keys()].slice(-12).join(', ')}.`)
    },
    '/help': async (ctx) => {
      await ctx.reply(
        [
          'I am **Shipyard**. I only pretend to deploy:',
          '',
          '- `/deploy <service> <version>` deploys a build',
          '- `/status` says what runs where',
          '- `/rollback <service>` goes back to the build before',
        ].join('\n'),
      )
    },
  }
}
