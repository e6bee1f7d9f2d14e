import { endWithFile } from './file-end.ts'
import { checkPlansOfFile } from './statement-plans.ts'

// What is set up last ends first: a plan that fails a file must not keep its server alive.
checkPlansOfFile()
endWithFile()
