import { freePort } from '../../server/test/free-port.ts'
import { Person } from '../../server/test/person.ts'
import { launch } from '../../server/test/portico-process.ts'
import { preparedDataFolder } from '../../server/test/prepared-data-folder.ts'

/** A portal in a process of its own, always at the same address. `restart` kills it first. */
export async function portalProcess() {
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    LOG_LEVEL: 'error',
    RATE_LIMIT_FACTOR: '1000',
    PORTICO_DATA: await preparedDataFolder(),
  }
  let running = launch(['start'], settings)
  const url = await running.said(/Portal +(http\S+)/)
  return {
    url,
    owner: await new Person({ url }).setUp(await running.said(/set-up\?code=(\w+)/)),
    restart: async () => {
      await running.stop('SIGKILL')
      running = launch(['start'], settings)
      await running.said(/Portal +(http\S+)/)
    },
  }
}
