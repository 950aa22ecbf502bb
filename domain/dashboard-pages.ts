/** The paths of the dashboard's pages; whatever else is asked for outside the API is a file or nothing. */
export const pagePaths = [
  '/',
  '/wallet',
  '/instance',
  '/files',
  '/skills',
  '/tokens',
  '/connect',
  '/personas',
  '/account',
  '/billing',
  '/authorize',
  '/sign-in',
  '/connect/slack',
  '/connect/doctor',
] as const

/** Those that a signed-in user sees within the dashboard. */
export type PagePath = Exclude<(typeof pagePaths)[number], '/sign-in' | '/authorize' | '/connect/doctor'>
