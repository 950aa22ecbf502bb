import { area } from '../kit/area.ts'
import { answerQuestion } from './answer-question.ts'
import { createAttachment } from './create-attachment.ts'
import { getAttachment } from './get-attachment.ts'
import { listMessages } from './list-messages.ts'
import { listQuestions } from './list-questions.ts'
import { sendMessage } from './send-message.ts'
import { stopReply } from './stop-reply.ts'

export const chatArea = area({
  name: 'chat',
  operations: [sendMessage, listMessages, stopReply, createAttachment, getAttachment, listQuestions, answerQuestion],
})
