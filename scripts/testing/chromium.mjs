import { existsSync } from 'node:fs'
import { Problem, report } from '../bootstrap/problem.mjs'
import { runStep } from '../bootstrap/step.mjs'

const usual = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * The browser for the browser tests: the one named by CHROMIUM, one in a usual place, or one installed with apt.
 * @returns {Promise<string | undefined>}
 */
export async function provideChromium() {
  const named = process.env.CHROMIUM
  if (named && !existsSync(named))
    throw new Problem(`There is no browser at CHROMIUM=${named}.`, 'Correct the path, or unset CHROMIUM.')
  const found = named ?? usual.find((path) => existsSync(path))
  if (found) return found

  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) await installChromium()
  const installed = usual.find((path) => existsSync(path))
  if (!installed) warn()
  return installed
}

/** A machine without network still runs all other tests, so a failure here is printed and not thrown. */
async function installChromium() {
  const advice = 'The tests continue without a browser.'
  const apt = { file: '/usr/bin/apt-get', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, advice }
  const patient = ['-o', 'DPkg::Lock::Timeout=300']
  try {
    await runStep({ ...apt, title: 'Refreshing the list of Debian packages', args: [...patient, 'update'] })
    const install = [...patient, 'install', '-y', '--no-install-recommends', 'chromium']
    await runStep({ ...apt, title: 'Installing chromium for the browser tests', args: install })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    report(error)
  }
}

function warn() {
  const line = '!'.repeat(78)
  console.error(`
${line}
!!  THE BROWSER TESTS ARE SKIPPED: there is no Chromium on this machine.
!!  Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.
${line}
`)
}
