import { join } from 'node:path'
import { checkPackage } from './check-package.ts'
import { PACKAGES } from './packages.ts'

const root = process.argv[2] ?? join(import.meta.dirname, '../..')
const problems = PACKAGES.flatMap((one) => checkPackage(root, one))

for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1
