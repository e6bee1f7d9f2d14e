/** The options of the message compiler, shared by the build, the development server and the type check. */
export const messages = {
  project: './project.inlang',
  outdir: './src/paraglide',
  strategy: ['globalVariable', 'baseLocale'] as ['globalVariable', 'baseLocale'],
  isServer: 'import.meta.env.SSR',
  emitReadme: false,
}
