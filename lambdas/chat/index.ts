import { area } from '../kit/area.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

export const chatArea = area({ name: 'chat', operations: [sendMessage, listMessages] })
