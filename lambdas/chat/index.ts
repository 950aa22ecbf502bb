import { area } from '../kit/area.ts'
import { answerQuestion } from './answer-question.ts'
import { createAttachment } from './create-attachment.ts'
import { createConversation } from './create-conversation.ts'
import { deleteConversation } from './delete-conversation.ts'
import { getAttachment } from './get-attachment.ts'
import { getMessageCost } from './get-message-cost.ts'
import { listActivities } from './list-activities.ts'
import { listConversations } from './list-conversations.ts'
import { listMessages } from './list-messages.ts'
import { listQuestions } from './list-questions.ts'
import { searchMessages } from './search-messages.ts'
import { sendMessage } from './send-message.ts'
import { stopReply } from './stop-reply.ts'
import { updateConversation } from './update-conversation.ts'
import { updateMainConversation } from './update-main-conversation.ts'

export const chatArea = area({
  name: 'chat',
  about: 'Conversations with your agent: messages, replies, attachments and questions.',
  operations: [
    sendMessage,
    listMessages,
    searchMessages,
    stopReply,
    createAttachment,
    getAttachment,
    getMessageCost,
    listActivities,
    listConversations,
    createConversation,
    updateConversation,
    deleteConversation,
    updateMainConversation,
    listQuestions,
    answerQuestion,
  ],
})
