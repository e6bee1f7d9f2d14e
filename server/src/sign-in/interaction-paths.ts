/** The sign-in page and the API below it: the interaction cookie is limited to this path. */
export const INTERACTION = '/oauth/interaction'

/** Which website a request is from, for someone who isn't signed in. Takes the parameters of the request. */
export const REQUEST_QUESTION = '/oauth/question'
