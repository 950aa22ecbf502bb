/** Everything of the chat that is drawn after the message field, in one file. */
export { ConversationNavigation } from '../conversations/navigation.tsx'
export { History } from './history.tsx'
export { OpenQuestions } from './open-questions.tsx'
export { PendingReply } from './pending-reply.tsx'
