/** Most bytes of a file that come with the request itself; what is larger is uploaded first. */
export const maxInlineBytes = 64 * 1024
