import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

export const chatArea = area({ name: 'chat', access, operations: [sendMessage, listMessages] })
