import { viewRoot } from './view-root.ts'

/** The paths of the pages that a signed-in user sees within the dashboard. */
const ownPaths = [
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
  '/notifications',
  '/connect/slack',
] as const

export type PagePath = (typeof ownPaths)[number]

/** The paths of the dashboard's pages; whatever else is asked for outside the API is a file or nothing. */
export const pagePaths: readonly string[] = [
  ...ownPaths,
  '/authorize',
  '/sign-in',
  '/unsubscribe',
  '/connect/doctor',
  '/operator',
  ...ownPaths.map((path) => (path === '/' ? viewRoot : `${viewRoot}${path}`)),
]
