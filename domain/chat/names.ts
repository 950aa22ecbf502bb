/** The conversation that every user has; all others have ids. */
export const mainConversation = 'main'

/** The id of the prompt that a user's message becomes: one's time and random part are the other's. */
export const promptIdOf = (messageId: string): string => messageId.replace('msg_', 'prm_')

/** The id of the user's message that became a prompt. */
export const messageIdOf = (promptId: string): string => promptId.replace('prm_', 'msg_')
