import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFullRun } from './full-run.ts'

/** The nginx of this machine, if there is one. Tests that need it are skipped by name elsewhere. */
export const nginxProgram = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => isFullRun && existsSync(path))

/** Starts nginx with this content of its `http` block. */
export async function startNginx(http: string): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n')
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http {
access_log off;
${temporary}
${http}
}`
  await writeFile(join(folder, 'nginx.conf'), config)
  const child = spawn(nginxProgram ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return {
    stop: async () => {
      const ended = once(child, 'close')
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
