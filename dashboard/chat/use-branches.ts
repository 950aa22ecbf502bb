import type { Message } from '../../domain/chat/message.ts'
import { referenceRuntime } from '../../domain/instance/reference-runtime.ts'
import { useAccount } from '../account-state.tsx'
import { useRead } from '../data/cache.ts'

/** Whether a message can get new versions: not for an agent with its own memory, nor in another platform's chat. */
export function useBranches(): (message: Message) => boolean {
  const { status } = useAccount()
  const runtime = status?.instance?.runtime
  const isOther = runtime !== undefined && runtime !== referenceRuntime
  const { data } = useRead('listRuntimes', isOther ? {} : null)
  const active = data?.runtimes.find(({ name }) => name === runtime)
  const hasBranches = runtime === referenceRuntime || active?.supports.branches === true
  return ({ role, channel }) => hasBranches && role === 'user' && channel === 'web'
}
