import { invalid } from '../errors.ts'
import { ulid } from '../ids.ts'
import type { Page } from '../page.ts'
import type { ExportLists, ExportPorts } from './export.ts'

/** A part is full with so many lines, or so many characters of JSON: an answer of the service is 6 MB at most. */
const full = { lines: 2_000, characters: 1_500_000 }

const order = ['transactions', 'messages', 'audit', 'personas'] as const
type ListName = (typeof order)[number]

const oldestMessage = `msg_${ulid(0, new Uint8Array(16))}`

/**
 * The lines of one part, list after list, and where the next part begins.
 * @param from what an earlier part answered as `next`
 */
export async function gatherPart(
  deps: ExportPorts,
  userId: string,
  from: string | undefined,
): Promise<{ lists: ExportLists; next: string | null }> {
  const lists: ExportLists = { transactions: [], messages: [], audit: [], personas: [] }
  const part = { lines: 0, characters: 0 }
  const isFull = () => part.lines >= full.lines || part.characters >= full.characters
  const into = <T>(list: T[], { items, next }: Page<T>): string | null => {
    list.push(...items)
    part.lines += items.length
    part.characters += JSON.stringify(items).length
    return next
  }
  const read: Record<ListName, (after: string | null) => Promise<string | null>> = {
    transactions: async (after) =>
      into(lists.transactions, await deps.wallets.transactions(userId, { after, limit: 100 })),
    messages: async (after) =>
      into(lists.messages, await deps.conversations.messages(userId, { after: after ?? oldestMessage, limit: 25 })),
    audit: async (after) => into(lists.audit, await deps.audit.list(userId, { after, limit: 100 })),
    personas: async (after) => into(lists.personas, await nextPersona(deps, userId, after)),
  }
  let { name, after } = placeOf(from)
  for (;;) {
    after = await read[name](after)
    const following = after === null ? order[order.indexOf(name) + 1] : name
    if (!following) return { lists, next: null }
    name = following
    if (isFull()) return { lists, next: `${name} ${after ?? ''}` }
  }
}

/** All kept versions of the persona after this one. */
async function nextPersona(
  { catalogue }: Pick<ExportPorts, 'catalogue'>,
  userId: string,
  after: string | null,
): Promise<Page<ExportLists['personas'][number]>> {
  const { personas } = await catalogue.choices(userId)
  const left = personas.map(({ id }) => id).filter((id) => after === null || id > after)
  const [id] = left.sort()
  if (id === undefined) return { items: [], next: null }
  return { items: await catalogue.versions(userId, id), next: left.length > 1 ? id : null }
}

function placeOf(from: string | undefined): { name: ListName; after: string | null } {
  if (from === undefined) return { name: 'transactions', after: null }
  const [text, after] = from.split(' ')
  const name = order.find((one) => one === text)
  if (!name) throw invalid('cursor', 'use a nextCursor of an earlier answer as it came.')
  return { name, after: after || null }
}
