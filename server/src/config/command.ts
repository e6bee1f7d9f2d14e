/** How the command line is called here: the image sets the title of the process. */
export const COMMAND = process.title === 'portico' ? 'portico' : 'npx portico'
