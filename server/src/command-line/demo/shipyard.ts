import { setTimeout as sleep } from 'node:timers/promises'
import type { Bot, Card, Component, MessageContext } from '@portico/sdk'
import type { Answers } from './run-bots.ts'

const DEPLOY_MS = 2000

interface Builds {
  staging: string
  before: string
}

/** Shipyard only pretends to deploy. It keeps the list of deployments in memory until the demo stops. */
export function shipyard(bot: Bot): Answers<'shipyard'> {
  const services = new Map<string, Builds>([
    ['tramline', { staging: '1.4.0', before: '1.3.2' }],
    ['feed', { staging: '0.9.4', before: '0.9.3' }],
    ['hallway', { staging: '2.0.1', before: '2.0.0' }],
  ])

  async function deploy(ctx: Pick<MessageContext, 'reply'>, service: string, version: string): Promise<void> {
    await ctx.reply(`Deploying **${service} ${version}** to *staging*.`)
    await sleep(DEPLOY_MS)
    const before = services.get(service)?.staging ?? version
    services.set(service, { staging: version, before })
    const cards = [cardOf(service, version, before)]
    await ctx.reply(`**${service} ${version}** is on *staging*.`, { cards, components: choicesOf(service, version) })
  }

  bot.button(/^release:([^:]+):([^:]+)$/, async (ctx) => {
    const [, service, version] = ctx.match
    await ctx.update(`**${service} ${version}** was released to *production* by ${ctx.author.name}.`, {
      components: [],
    })
  })
  bot.button(/^rollback:([^:]+)$/, async (ctx) => {
    const [, service = ''] = ctx.match
    const builds = services.get(service)
    if (!builds) return ctx.notice('I have forgotten that build: the demo was started again.')
    await ctx.update(`${ctx.author.name} takes **${service}** back to ${builds.before}.`, { components: [] })
    return deploy(ctx, service, builds.before)
  })

  bot.on('option.requested', async ({ client, data }) => {
    const { requestId, option, typed, options } = data
    const builds = services.get(String(options['service']))
    const known = option === 'service' ? [...services.keys()] : [builds?.staging, builds?.before]
    const suggestions = known.flatMap((value) => (value?.startsWith(typed) ? [{ value }] : []))
    await client.sendSuggestions({ requestId, suggestions })
  })

  return {
    '/deploy': async (ctx) => {
      const { service, version = 'latest' } = ctx.options
      await deploy(ctx, String(service), String(version))
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
      else await ctx.notice(`Which service? I know ${[...services.keys()].slice(-12).join(', ')}.`)
    },
    '/help': async (ctx) => {
      await ctx.reply(
        [
          'I am **Shipyard**. I only pretend to deploy:',
          '',
          '- `/deploy <service> [version]` deploys a build',
          '- `/status` says what runs where',
          '- `/rollback <service>` goes back to the build before',
        ].join('\n'),
      )
    },
  }
}

function cardOf(service: string, version: string, before: string): Card {
  const fields = [
    { name: 'Staging', value: version },
    { name: 'Before', value: before },
  ]
  return { title: `${service} ${version}`, color: '#2f9e44', fields, footer: 'Shipyard only pretends' }
}

/** Colons separate the parts of ids. */
function choicesOf(service: string, version: string): Component[] {
  const [name, build] = [service, version].map((part) => part.replaceAll(':', ' '))
  return [
    { type: 'button', id: `release:${name}:${build}`, label: 'Release to production', style: 'primary' },
    { type: 'button', id: `rollback:${name}`, label: 'Roll back' },
  ]
}
