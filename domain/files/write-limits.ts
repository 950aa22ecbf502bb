/** Bytes of a file inside the request itself; larger files are uploaded first. */
export const maxInlineBytes = 64 * 1024
