import type { WebsiteSignIns } from '../accounts/website-sign-ins.ts'
import { deleteConsents, listConsents } from '../consents/consents.ts'
import { revokeGrants } from './grant-store.ts'

export const websiteSignIns: WebsiteSignIns = { listConsents, revokeGrants, deleteConsents }
