/** One set of options for the build, the development server and the type check, so that none undoes another's work. */
export const messages = {
  project: './project.inlang',
  outdir: './src/paraglide',
  strategy: ['globalVariable', 'baseLocale'] as ['globalVariable', 'baseLocale'],
  isServer: 'import.meta.env.SSR',
  emitReadme: false,
}
