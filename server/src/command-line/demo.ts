import { describeDemo } from './demo/describe-demo.ts'
import { openDemo } from './demo/open-demo.ts'
import { runBots } from './demo/run-bots.ts'
import type { Run } from './command.ts'
import { greeting } from './greeting.ts'
import { serve } from './start.ts'

export const runDemo: Run = (config, _args, _settings, program) => {
  let stopBots = async (): Promise<void> => {}
  return serve(
    program,
    // In front of the nodes of a cluster, the load balancer has the certificate.
    { ...config, HTTPS_PORT: config.HTTPS_PORT ?? (config.REDIS_URL === null ? 'auto' : 'off') },
    async (running) => {
      const { services } = running
      const community = await openDemo(running, services.config.PUBLIC_URL, (text) =>
        process.stdout.write(`  ${text}\n`),
      )
      stopBots = runBots(community, services.log)
      return greeting(running, describeDemo(community, config))
    },
    () => stopBots(),
  )
}
