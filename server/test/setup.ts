import { endWithFile } from './file-end.ts'
import { checkPlansOfFile } from './statement-plans.ts'

// The last one registered runs first: a failed plan check must not keep the file's server running.
checkPlansOfFile()
endWithFile()
