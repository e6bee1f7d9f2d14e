import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { diskStore } from './disk-store.ts'
import type { FileStore } from './file-store.ts'
import type { S3Address } from './s3-store.ts'

type FileSettings = Pick<
  Config,
  | 'FILES_FOLDER'
  | 'PORTICO_DATA'
  | 'S3_ENDPOINT'
  | 'S3_BUCKET'
  | 'S3_REGION'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
>

/** The bucket or folder of the settings; otherwise a folder in the data folder, which the first file makes. */
export async function openFileStore(settings: FileSettings): Promise<FileStore> {
  const address = s3Address(settings)
  if (address) {
    // Only portals with a bucket need it.
    const { s3Store } = await import('./s3-store.ts')
    return s3Store(address)
  }
  return diskStore(filesFolder(settings), { isMade: settings.FILES_FOLDER === null })
}

export function filesFolder({ FILES_FOLDER, PORTICO_DATA }: FileSettings): string {
  return FILES_FOLDER ?? join(PORTICO_DATA, 'files')
}

/** The settings were checked to be complete, or to be missing altogether. */
export function s3Address(settings: FileSettings): S3Address | undefined {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region } = settings
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (endpoint === null || bucket === null || accessKeyId === null || secretAccessKey === null) return undefined
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}
