import { spawnSync } from 'node:child_process'

const MARK = 'PORTICO_BENCH_NETWORK'

/** A pair of devices that belongs to the namespace and ends with it: without any, Chromium believes that it is offline. */
const SETUP = [
  'ip link set lo up',
  'ip link add eth0 type veth peer name eth1',
  'ip address add 10.77.0.1/24 dev eth0',
  'ip link set eth0 up',
  'ip link set eth1 up',
  'exec "$@"',
].join(' && ')

export const isInOwnNetwork = process.env[MARK] !== undefined

/** Runs this program once more, in a network namespace of its own, which needs root. Returns its exit code. */
export function runInOwnNetwork(): number {
  const command = ['--net', 'sh', '-c', SETUP, 'sh', process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { status, error } = spawnSync('unshare', command, { stdio: 'inherit', env: { ...process.env, [MARK]: 'own' } })
  if (error)
    throw new Error('This bench needs a network namespace of its own: run it as root, on Linux', { cause: error })
  return status ?? 1
}
