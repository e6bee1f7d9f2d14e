import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFullRun } from './full-run.ts'
import { spawnBound } from './spawn-bound.ts'

/** The nginx of this machine, if there is one. Tests that need it are skipped by name elsewhere. */
export const nginxProgram = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => isFullRun && existsSync(path))

/** Starts nginx with this content of its `http` block. */
export async function startNginx(http: string): Promise<{ stop(): Promise<void> }> {
  const { folder, run } = await prepareNginx(http)
  const child = run()
  return {
    stop: async () => {
      const ended = once(child, 'close')
      if (child.exitCode === null && child.kill('SIGTERM')) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the configuration with this content of its `http` block. `run` starts nginx with it, as often as it is called. */
export async function prepareNginx(http: string): Promise<{ readonly folder: string; run(): ChildProcess }> {
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
  const path = join(folder, 'nginx.conf')
  await writeFile(path, config)
  return {
    folder,
    run: () => spawnBound(nginxProgram ?? '', ['-p', folder, '-c', path], { stdio: ['ignore', 'ignore', 'inherit'] }),
  }
}

/**
 * Content of the `http` block: passes each request on to a random node, as it is: what a client sends slowly reaches the node
 * slowly. What a node didn't accept goes to another one.
 */
export function balancerOf(urls: readonly string[], port: number, more = 'proxy_read_timeout 300s;'): string {
  return `
map $http_upgrade $connection_header { default upgrade; '' ''; }
upstream nodes {
  random;
  ${urls.map((url) => `server ${new URL(url).host} max_fails=0;`).join('\n  ')}
  keepalive 32;
}
server {
  listen 127.0.0.1:${port};
  client_max_body_size 0;
  large_client_header_buffers 8 64k;
  ignore_invalid_headers off;
  proxy_http_version 1.1;
  proxy_set_header Host $http_host;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection $connection_header;
  proxy_request_buffering off;
  proxy_buffering off;
  proxy_next_upstream error;
  ${more}
  location / { proxy_pass http://nodes; }
}`
}
