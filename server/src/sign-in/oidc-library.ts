/** oidc-provider without its main module, which prints a warning on a Node that isn't an LTS release yet. */
export { Provider } from 'oidc-provider/lib/provider.js'
export { base, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js'
