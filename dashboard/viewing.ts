import { viewRoot } from '../domain/view-root.ts'

/**
 * Whether these pages show a user to an operator, who can change nothing there. Such a page never changes into another:
 * it is loaded again.
 */
export const viewing = `/${globalThis.location?.pathname.split('/')[1]}` === viewRoot

/** Where the API is for these pages; below a view’s there is nothing of the operator’s own. */
export const apiRoot = viewing ? `/api${viewRoot}` : '/api'
