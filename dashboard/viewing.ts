import { viewRoot } from '../domain/view-root.ts'

/** Whether these pages show a user to an operator, who can change nothing there. Such a page is never another one: it is loaded anew. */
export const viewing = `/${globalThis.location?.pathname.split('/')[1]}` === viewRoot

/** Where the API is for these pages; below a view’s there is nothing of the operator’s own. */
export const apiRoot = viewing ? `/api${viewRoot}` : '/api'
