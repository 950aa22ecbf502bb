import { viewRoot } from '../domain/view-root.ts'

/** Whether these pages show a user to an operator, read-only. Changing between both kinds always reloads the page. */
export const viewing = `/${globalThis.location?.pathname.split('/')[1]}` === viewRoot

/** The API below a view has nothing of the operator's. */
export const apiRoot = viewing ? `/api${viewRoot}` : '/api'
