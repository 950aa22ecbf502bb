import { useEffect, useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { shownName } from '../components/shown-name.ts'
import { byLastMessage, pathOf, shownTitle, titleFits, useConversationList } from '../conversations/list.ts'
import { useRead } from '../data/cache.ts'
import { go } from '../router.tsx'
import { paletteTexts } from '../texts/palette.ts'

export interface Command {
  /** Unique, if the name is not. */
  key?: string
  name: string
  /** Shown next to the name. */
  kind?: string
  run: () => void | Promise<void>
}

const mostConversations = 8
const mostFiles = 8

/** A pause in typing after which files are searched, ms. */
const pauseMs = 300

/** Conversations and files by their names. Too short texts find nothing. */
export function useFound(typed: string): Command[] {
  const text = typed.trim()
  const conversations = useConversations(text)
  const files = useFiles(text)
  if (text.length < 2) return []
  const searchFiles = {
    name: paletteTexts.searchFiles(text),
    run: () => go(`/files?${new URLSearchParams({ find: text })}`),
  }
  return [...conversations, ...files, searchFiles]
}

function useConversations(text: string): Command[] {
  const { list } = useConversationList()
  const fitting = (list?.conversations ?? []).filter((each) => titleFits(shownTitle(each), text))
  return fitting
    .sort(byLastMessage)
    .slice(0, mostConversations)
    .map((each) => ({
      key: each.id,
      name: shownTitle(each),
      kind: each.archived ? paletteTexts.archived : paletteTexts.conversation,
      run: () => go(pathOf(each.id)),
    }))
}

/** Only a running machine is asked while somebody types: a search must not start one. */
function useFiles(text: string): Command[] {
  const { status } = useAccount()
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const isReady = settled.length > 1 && status?.instance?.state === 'running'
  const { data } = useRead('searchFiles', isReady ? { text: settled, limit: mostFiles } : null)
  return (data?.entries ?? [])
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ path, kind }) => ({
      key: path,
      name: shownName(path),
      kind: kind === 'folder' ? paletteTexts.folder : paletteTexts.file,
      run: () => go(`/files?${new URLSearchParams({ at: kind === 'folder' ? `${path}/` : path })}`),
    }))
}
