import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Problem } from './problem.mjs'

/** @typedef {'SIGINT' | 'SIGTERM' | 'SIGHUP'} StopSignal */
/** @typedef {{ exitCode: number, output: string, stoppedBy: StopSignal | undefined }} Ending */

const parent = process.ppid
const underNpm = Boolean(process.env.npm_lifecycle_event)
const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY

/**
 * Runs a program until it exits. A stop signal is forwarded once, however often it arrives (npm repeats the terminal's),
 * and the promise still waits for the exit, so that nothing is left running.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean, shell?: boolean, signal?: AbortSignal }} [options] `show`: the program has our terminal, and `output` is empty; `signal` stops the program
 * @returns {Promise<Ending>}
 */
export function runChild(file, args, { show = false, signal: ending, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...options,
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    let output = ''
    const keep = (/** @type {Buffer} */ chunk) => (output += chunk)
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)

    /** @type {StopSignal | undefined} */
    let stoppedBy
    const stop = (/** @type {StopSignal} */ signal) => {
      if (stoppedBy) return
      stoppedBy = signal
      // Ctrl+C and a closed window reach every program in the terminal, so the child is already stopping, and a second signal
      // could mean "don't wait". Only a signal sent to this process alone has to be forwarded; for that a delay does no harm.
      const pause = onTerminal && signal !== 'SIGTERM' ? 10_000 : 0
      setTimeout(() => child.kill(signal), pause).unref()
    }
    /** @type {StopSignal[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, stop)
    const abort = () => stop('SIGTERM')
    if (ending?.aborted) abort()
    ending?.addEventListener('abort', abort)
    // npm's SIGTERM kills a shell between npm and this process without forwarding; the changed parent is the only sign.
    const watch = setInterval(() => underNpm && process.ppid !== parent && stop('SIGTERM'), 500)

    const finish = () => {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, stop)
      ending?.removeEventListener('abort', abort)
    }
    child.once('error', (error) => {
      finish()
      reject(new Problem(`Could not run ${file}: ${error.message}.`, 'Check that it is installed and executable.'))
    })
    child.once('close', (code, signal) => {
      finish()
      resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0), output, stoppedBy })
    })
  })
}
