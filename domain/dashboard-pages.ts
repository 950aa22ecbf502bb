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

/** Files at the host's root: those in `dashboard/public`, and the one page of the dashboard. */
export const rootFiles: readonly string[] = [
  'app.webmanifest',
  'appearance.js',
  'diagram-frame.js',
  'error-414.json',
  'error-504.json',
  'favicon.svg',
  'first.js',
  'icon-192.png',
  'icon-512.png',
  'index.html',
  'llms.txt',
  'not-found.css',
  'push-worker.js',
  'robots.txt',
]
