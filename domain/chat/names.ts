export const mainConversation = 'main'

/** Time and random part of both ids are equal. */
export const promptIdOf = (messageId: string): string => messageId.replace('msg_', 'prm_')

export const messageIdOf = (promptId: string): string => promptId.replace('prm_', 'msg_')
