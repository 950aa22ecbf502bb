import { useEffect, useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { keep, readKept } from './browser-storage.ts'

export const draftName = (conversation: string): string => `draft ${conversation}`

export function useTextDraft(conversation: string): [text: string, set: (text: string) => void] {
  const { account } = useAccount()
  const name = draftName(conversation)
  const [text, setText] = useState(() => readKept(account.id, name) ?? '')
  useEffect(() => keep(account.id, name, text), [account.id, name, text])
  return [text, setText]
}
