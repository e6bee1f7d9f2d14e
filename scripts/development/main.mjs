import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sdkBuild } from '../bootstrap/builds.mjs'
import { runChild } from '../bootstrap/child.mjs'
import { environmentWith } from '../bootstrap/npm.mjs'
import { inRoot } from '../bootstrap/paths.mjs'
import { prepare } from '../bootstrap/prepare.mjs'
import { report } from '../bootstrap/problem.mjs'

const DEFAULT_PORT = '3000'

const USAGE = `Usage: npm run dev

Starts the server, which restarts when a source file changes, and the portal, which updates in the browser.

Settings come from the environment, for example:
  PORT          the port of the portal (default: ${DEFAULT_PORT}; 0: any free port)
  PORTICO_DATA  the data folder
All of them: docs/settings.md
`

/**
 * `npm run dev`: the server, restarted when a file that it imports changes, behind Vite, which updates the portal in the
 * browser. People open Vite's address; it forwards API requests and the socket to the server.
 * @param {readonly string[]} args
 */
export async function main(args) {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE)
    return
  }
  if (args.length > 0) {
    process.stderr.write(`Unknown argument: ${args.join(' ')}\n\n${USAGE}`)
    process.exitCode = 2
    return
  }
  try {
    const node = await prepare([sdkBuild], 'all')
    const port = await chosenPort(process.env['PORT'] ?? DEFAULT_PORT)
    const serverPort = await freePort()
    const address = `http://localhost:${port}`
    const target = `http://127.0.0.1:${serverPort}`
    const env = environmentWith(node)

    // When one of the two ends, the other has to end too.
    const ending = new AbortController()
    const run = async (
      /** @type {string[]} */ args,
      /** @type {{ cwd: string, env: NodeJS.ProcessEnv }} */ options,
    ) => {
      const { exitCode, stoppedBy } = await runChild(node, args, { ...options, show: true, signal: ending.signal })
      const isFirst = !ending.signal.aborted
      ending.abort()
      return isFirst && !stoppedBy ? exitCode : 0
    }
    void announce(address, target, ending.signal)
    const exitCodes = await Promise.all([
      run(['--watch', '--watch-preserve-output', inRoot('server', 'src', 'main.ts'), 'start'], {
        cwd: inRoot(),
        env: { ...env, HOST: '127.0.0.1', PORT: String(serverPort), PUBLIC_URL: address },
      }),
      run(
        [
          inRoot('node_modules', 'vite', 'bin', 'vite.js'),
          'dev',
          '--port',
          String(port),
          '--strictPort',
          '--logLevel',
          'warn',
        ],
        {
          cwd: inRoot('portal'),
          env: { ...env, PORTICO_URL: target },
        },
      ),
    ])
    process.exitCode = Math.max(...exitCodes)
  } catch (error) {
    process.exitCode = report(error)
  }
}

/**
 * Prints the address once, when both answer.
 * @param {string} address
 * @param {string} target
 * @param {AbortSignal} ending
 */
async function announce(address, target, ending) {
  for (const url of [`${target}/readyz`, address]) {
    while (!ending.aborted && !(await answers(url))) await sleep(200)
  }
  if (!ending.aborted)
    console.log(
      `\n  Development portal: ${address} (the server restarts and the portal updates on changes; Ctrl+C stops both)\n`,
    )
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url, { headers: { accept: 'text/html' } })).ok
  } catch {
    return false
  }
}

/** @param {string} setting `PORT`; 0 stands for any free port */
async function chosenPort(setting) {
  return Number(setting) === 0 ? freePort() : setting
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
