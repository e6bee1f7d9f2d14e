import type { ServerProgram } from '../../server/test/server-program.ts'
import type { Part } from './part.ts'

/** A server of another project, as something that can fail. */
export function serverPart(kind: string, server: ServerProgram): Part {
  return {
    kind,
    name: kind,
    freeze: async () => server.signal('SIGSTOP'),
    resume: async () => server.signal('SIGCONT'),
    kill: () => server.kill(),
    startAgain: () => server.startAgain(),
  }
}
