/** Longest text of one message, in characters: a person's, and the agent's reply. */
export const maxTextCharacters = 32_000
export const maxReplyCharacters = 64_000
