/** What sdk/package.json says about the package as well. */
export interface Description {
  readonly name: string
  readonly description: string
  readonly license: string
  readonly keywords: readonly string[]
  /** The address of the repository, once there is a public one. */
  readonly repository?: string
}

/** The package.json of the package that is published. */
export function manifest({ repository, ...description }: Description, version: string): object {
  const { name, description: text, license, keywords } = description
  return {
    name,
    version,
    description: text,
    keywords,
    license,
    ...(repository !== undefined && {
      homepage: `${repository}/blob/HEAD/docs/sdk.md`,
      bugs: `${repository}/issues`,
      repository: { type: 'git', url: `git+${repository}.git`, directory: 'sdk' },
    }),
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    types: './index.d.ts',
    files: ['**/*.js', '**/*.d.ts'],
    engines: { node: '>=20' },
    publishConfig: { access: 'public' },
    peerDependencies: { '@livekit/rtc-node': '>=1', ws: '>=8' },
    peerDependenciesMeta: { '@livekit/rtc-node': { optional: true }, ws: { optional: true } },
  }
}
