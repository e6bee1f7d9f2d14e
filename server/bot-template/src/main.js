import { existsSync } from 'node:fs'
import { DisplacedError, filePositions, UnauthorizedError } from '@portico/sdk'
import { createBot } from './bot.js'

/** The exit code when a restart is no use: another process has taken over, or the key is no longer valid. */
const NEEDS_ATTENTION = 3

if (existsSync('.env')) process.loadEnvFile()
const {
  PORTICO_URL: url = 'http://localhost:3000',
  PORTICO_KEY: key,
  POSITION_FILE: positionFile = 'position.json',
} = process.env

try {
  await createBot({ url, key, positions: filePositions(positionFile) }).run()
} catch (error) {
  console.error(error)
  process.exit(error instanceof DisplacedError || error instanceof UnauthorizedError ? NEEDS_ATTENTION : 1)
}
