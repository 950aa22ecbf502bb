/** Characters of a person's message, and of the agent's reply. */
export const maxTextCharacters = 32_000
export const maxReplyCharacters = 64_000
