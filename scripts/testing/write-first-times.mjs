#!/usr/bin/env node
// Writes the times of the slowest test files, as this machine last measured them, for machines that have not run them yet.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, inRoot } from '../bootstrap/paths.mjs'

/** A file that takes less may be started at any time. */
const LEAST_SECONDS = 10

/** @type {import('./test-times.mjs').TestTimes} */
const times = JSON.parse(readFileSync(join(cache, 'test-times.json'), 'utf8'))
const slow = Object.fromEntries(
  Object.entries(times).map(([project, files]) => [
    project,
    Object.fromEntries(
      Object.entries(files)
        .filter(([, { seconds }]) => seconds >= LEAST_SECONDS)
        .sort(([, a], [, b]) => b.seconds - a.seconds),
    ),
  ]),
)
writeFileSync(inRoot('scripts/testing/first-times.json'), `${JSON.stringify(slow, null, 2)}\n`)
