/** The pages below `/docs`, in the order of their navigation. Each is a file of the built dashboard. */
export const docsPages = [
  '/docs',
  '/docs/examples',
  '/docs/reference',
  '/docs/webhooks',
  '/docs/events',
  '/docs/errors',
  '/docs/limits',
  '/docs/changelog',
] as const

export type DocsPage = (typeof docsPages)[number]

/** The file of a page, relative to the root of the built dashboard. */
export const docsFile = (page: DocsPage): string => (page === '/docs' ? '/docs/index.html' : `${page}.html`)
