/** Bytes of one message to the server: tool arguments are small. */
export const maxMessageBytes = 2 ** 20
