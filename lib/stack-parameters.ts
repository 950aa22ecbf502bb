/**
 * The parameter of the service's stack that names the release whose calls move at once, without a canary. A later
 * release has another name, so a value that CloudFormation keeps does not concern it.
 */
export const atOnceParameter = 'AtOnce'

/** The output of the service's stack that names the deployed release. */
export const releaseOutput = 'Release'
