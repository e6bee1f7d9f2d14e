import { workspaceBuild } from './workspace-build.mjs'

export const portalBuild = workspaceBuild({
  title: 'Building the portal',
  advice: 'If you changed something in portal/ or contract/, fix the error above; otherwise report this.',
  megabytes: 1400,
  folder: 'portal',
  output: 'build',
  inputs: ['portal', 'portal/project.inlang/settings.json', 'contract/src', 'package-lock.json', 'tsconfig.base.json'],
  ignored: ['node_modules', 'build', '.svelte-kit', 'paraglide', 'project.inlang'],
})

/** The package that every portal offers for download, and that `new-bot` copies into a project. */
export const sdkBuild = workspaceBuild({
  title: 'Packing the SDK',
  advice: 'If you changed something in sdk/, fix the error above; otherwise report this.',
  folder: 'sdk',
  output: 'dist',
  inputs: ['sdk', 'LICENSE', 'package-lock.json', 'tsconfig.base.json'],
  ignored: ['node_modules', 'dist', 'test'],
})
