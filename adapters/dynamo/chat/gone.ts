import { mainConversation } from '../../../domain/chat/names.ts'
import { get, itemRange, queryAll } from '../calls.ts'

const prefix = 'gone#'

/** The mark of a deleted conversation, until everything of it is erased. */
export const goneKey = (userId: string, conversation: string) => ({ userId, item: `${prefix}${conversation}` })

const isStarted = (conversation = mainConversation): boolean => conversation !== mainConversation

export const isGone = async (table: string, userId: string, conversation?: string): Promise<boolean> =>
  conversation !== undefined && isStarted(conversation) && (await get(table, goneKey(userId, conversation))) !== null

/** Leaves out what belongs to deleted conversations. */
export async function withoutGone<T extends { conversation?: string | undefined }>(
  table: string,
  userId: string,
  items: T[],
): Promise<T[]> {
  if (!items.some(({ conversation }) => isStarted(conversation))) return items
  const marks = itemRange(table, userId, prefix, `${prefix}~`)
  const gone = new Set(await queryAll(marks, ({ item }) => item?.S?.slice(prefix.length)))
  return items.filter(({ conversation }) => !gone.has(conversation))
}
