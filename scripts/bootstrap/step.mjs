import { constants } from 'node:os'
import { runChild } from './child.mjs'
import { Interrupted, Problem } from './problem.mjs'

/**
 * A long step: one line while it runs, the program's output only if it failed.
 * Lines go to stderr, so that a command's own output stays clean.
 *
 * @param {{ title: string, advice: string, memoryAdvice?: string, file: string, args: string[], cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} step
 */
export async function runStep({ title, advice, memoryAdvice = advice, file, args, ...options }) {
  const done = showProgress(title)
  const ending = await runChild(file, args, options)
  if (ending.stoppedBy) {
    done('stopped')
    throw new Interrupted(ending.stoppedBy)
  }
  if (ending.exitCode !== 0) {
    done('failed')
    if (ranOutOfMemory(ending)) throw new Problem(`${title} failed: not enough memory.`, memoryAdvice, ending.output)
    throw new Problem(`${title} failed (exit code ${ending.exitCode}).`, advice, ending.output)
  }
  done('done')
}

/**
 * The kernel kills what exceeds the memory of the machine; Node aborts when its heap is full.
 * @param {import('./child.mjs').Ending} ending
 */
function ranOutOfMemory({ exitCode, output }) {
  return exitCode === 128 + constants.signals.SIGKILL || output.includes('JavaScript heap out of memory')
}

/**
 * @param {string} title
 * @returns {(how: 'done' | 'failed' | 'stopped') => void}
 */
export function showProgress(title) {
  const started = Date.now()
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`
  const { stderr } = process

  if (!stderr.isTTY) {
    stderr.write(`${title}…\n`)
    const timer = setInterval(() => stderr.write(`${title}… ${elapsed()}\n`), 30_000)
    return (how) => {
      clearInterval(timer)
      stderr.write(`${title}: ${how}, ${elapsed()}\n`)
    }
  }

  const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
  let frame = 0
  const draw = () => stderr.write(`\r\x1b[K${frames[frame++ % frames.length]} ${title}… ${elapsed()}`)
  draw()
  const timer = setInterval(draw, 100)
  return (how) => {
    clearInterval(timer)
    stderr.write(`\r\x1b[K${how === 'done' ? '✓' : '✗'} ${title}, ${elapsed()}\n`)
  }
}
