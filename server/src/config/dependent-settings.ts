type Environment = Readonly<Record<string, string | undefined>>
type Values = Readonly<Record<string, unknown>>

/** Settings that are missing, or that exclude each other, because of another one. A value that isn't valid is not missing. */
export function dependencyErrors(values: Values, environment: Environment): string[] {
  return [
    ...livekitErrors(values, environment),
    ...clusterErrors(values),
    ...replicaErrors(values),
    ...fileErrors(values),
    ...turnErrors(values, environment),
  ]
}

function livekitErrors(values: Values, environment: Environment): string[] {
  if (values['LIVEKIT_URL'] === null) return []
  return ['LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET']
    .filter((name) => !environment[name]?.trim())
    .map((name) => `${name}: expected with LIVEKIT_URL; without it the media server refuses everyone`)
}

function clusterErrors(values: Values): string[] {
  if (values['REDIS_URL'] === null) return []
  return ['DATABASE_URL', 'PORTICO_SECRET']
    .filter((name) => values[name] === null)
    .map((name) => `${name}: expected with REDIS_URL; all nodes of a cluster share it`)
}

function replicaErrors(values: Values): string[] {
  if (values['DATABASE_REPLICA_URL'] === null || values['DATABASE_URL'] !== null) return []
  return ['DATABASE_URL: expected with DATABASE_REPLICA_URL; the embedded database has no replica']
}

const S3 = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** Files are in exactly one place, which all nodes of a cluster can reach. */
function fileErrors(values: Values): string[] {
  const given = S3.filter((name) => values[name] !== null)
  if (given.length === 0) {
    if (values['REDIS_URL'] === null || values['FILES_FOLDER'] !== null) return []
    return ['S3_BUCKET or FILES_FOLDER: expected with REDIS_URL; all nodes of a cluster share their files']
  }
  const missing = S3.filter((name) => values[name] === null).map((name) => `${name}: expected with ${given[0]}`)
  return values['FILES_FOLDER'] === null ? missing : [...missing, `FILES_FOLDER: not together with ${given[0]}`]
}

function turnErrors(values: Values, environment: Environment): string[] {
  const hasTurn = (values['TURN_URL'] as readonly string[]).length > 0
  if (!hasTurn || environment['TURN_SECRET']?.trim()) return []
  return ['TURN_SECRET: expected with TURN_URL; without it the TURN server refuses everyone']
}
