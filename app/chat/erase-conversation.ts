import { messageIdOf, promptIdOf } from '../../domain/chat/names.ts'
import { DomainError } from '../../domain/errors.ts'
import type { AttachmentErasure, ConversationErasure, Conversations, Trace } from '../ports/chat.ts'
import type { Tasks } from '../ports/files.ts'

export interface ErasePorts {
  attachmentErasure: AttachmentErasure
  conversations: Conversations
  conversationErasure: ConversationErasure
  tasks: Tasks
}

/**
 * Erases what a deleted conversation has left behind. It may be repeated, also after a crash at any step.
 * @param isLate stops the work between two parts
 * @returns whether nothing is left
 */
export async function eraseConversation(
  deps: ErasePorts,
  userId: string,
  conversation: string,
  nowMs: number,
  isLate: () => boolean = () => false,
): Promise<boolean> {
  const promptIds = await deps.conversationErasure.openPrompts(userId, conversation)
  for (const promptId of promptIds) await endPrompt(deps, userId, promptId, nowMs)
  await addForgetTask(deps, userId, conversation, nowMs)
  const traces = await deps.conversationErasure.traces(userId)
  await deps.conversationErasure.removeTraces(userId, tracesOf(traces, { conversation, promptIds, questionIds: [] }))
  while (!isLate()) {
    const part = await deps.conversationErasure.nextPart(userId, conversation)
    if (part.messageIds.length === 0 && part.questionIds.length === 0) return true
    const { messageIds, questionIds, files } = part
    const told = tracesOf(traces, { promptIds: messageIds.map(promptIdOf), questionIds })
    await deps.conversationErasure.removeTraces(userId, told)
    await Promise.all(files.map((file) => deps.attachmentErasure.remove(file)))
    await deps.conversationErasure.removePart(userId, conversation, part)
  }
  return false
}

/** The outbox repeats the erasure, because a request that began before the deletion may have ended after it. */
export async function finishErasure(deps: ErasePorts, userId: string, conversation: string, nowMs: number) {
  await eraseConversation(deps, userId, conversation, nowMs)
  await deps.conversationErasure.finish(userId, conversation)
}

/** Tells the machine first, because it hears nothing of a prompt that is gone. */
async function endPrompt({ conversations }: ErasePorts, userId: string, promptId: string, nowMs: number) {
  const stopped = await conversations.stop(userId, messageIdOf(promptId), nowMs)
  if (stopped?.state !== 'stopping') return
  await conversations.close(userId, promptId, 'stopped').catch(unlessGone)
}

function unlessGone(error: unknown): void {
  if (!(error instanceof DomainError) || error.code !== 'not-found') throw error
}

/** One task for each conversation. The next machine that runs takes it; none starts for it. */
async function addForgetTask({ tasks }: ErasePorts, userId: string, conversation: string, nowMs: number) {
  const id = conversation.replace('cnv_', 'tsk_')
  if (!(await tasks.find(userId, id))) await tasks.addOwn(userId, id, { kind: 'forget', conversation }, nowMs)
}

interface Erased {
  conversation?: string
  promptIds: readonly string[]
  questionIds: readonly string[]
}

function tracesOf(traces: readonly Trace[], { conversation, promptIds, questionIds }: Erased): Trace[] {
  const ids = new Set([...promptIds, ...questionIds, ...(conversation === undefined ? [] : [conversation])])
  return traces.filter((trace) =>
    [trace.conversation, trace.promptId, trace.questionId].some((id) => id !== undefined && ids.has(id)),
  )
}
