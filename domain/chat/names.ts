/** The conversation that every user has; all others have ids. */
export const mainConversation = 'main'

/** The id of the prompt that a user's message becomes: one's time and random part are the other's. */
export const promptIdOf = (messageId: string): string => messageId.replace('msg_', 'prm_')
