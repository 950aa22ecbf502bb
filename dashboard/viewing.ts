/** Whether these pages show a user to an operator, who can change nothing there. Such a page is never another one: it is loaded anew. */
export const viewing = globalThis.location?.pathname.split('/')[1] === 'view'

/** Where the API is for these pages; below a view’s there is nothing of the operator’s own. */
export const apiRoot = viewing ? '/api/view' : '/api'
