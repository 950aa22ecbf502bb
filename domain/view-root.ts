/** Before the paths of pages and of the API where an operator sees them as a user does. */
export const viewRoot = '/view'
