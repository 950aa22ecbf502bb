/** Prefix of the paths of pages and API while an operator views them as a user. */
export const viewRoot = '/view'
