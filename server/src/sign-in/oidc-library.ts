/**
 * What the program uses of oidc-provider at run time, without its main module: that one prints a warning at every start on a
 * Node that isn't an LTS release yet.
 */
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'

export { errors, Provider }
