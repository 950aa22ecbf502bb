import { viewRoot } from './view-root.ts'

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
  '/models',
] as const

export type PagePath = (typeof ownPaths)[number]

/** Paths outside this list and the API are files or nothing. */
export const pagePaths: readonly string[] = [
  ...ownPaths,
  '/authorize',
  '/sign-in',
  '/unsubscribe',
  '/connect/doctor',
  '/operator',
  ...ownPaths.map((path) => (path === '/' ? viewRoot : `${viewRoot}${path}`)),
]
