/** How long a code that links a chat is good for, ms. */
export const codeMs = 3_600_000

/** Chats that one account may have linked at once. */
export const maxLinks = 20
