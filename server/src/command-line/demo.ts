import { describeDemo } from './demo/describe-demo.ts'
import { openDemo } from './demo/open-demo.ts'
import type { Command } from './commands.ts'
import { greeting, serve } from './start.ts'

export const demo: Command = {
  usage: 'demo',
  about: 'Start the portal with a lively demo community',
  run: (config, _args, _told, program) =>
    serve(program, { ...config, HTTPS_PORT: config.HTTPS_PORT ?? 'auto' }, async (running) => {
      const community = await openDemo(running, running.services.config.PUBLIC_URL, (text) =>
        process.stdout.write(`  ${text}\n`),
      )
      return greeting(running, describeDemo(community, config))
    }),
}
