/** The errors of oidc-provider, without the library itself: that is loaded when a website first uses it. */
import * as errors from 'oidc-provider/lib/helpers/errors.js'

export { errors }
