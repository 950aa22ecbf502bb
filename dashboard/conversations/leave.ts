import { mainConversation } from '../../domain/chat/names.ts'
import { keep } from '../chat/browser-storage.ts'
import { takeReady } from '../chat/drafts.ts'
import { draftName } from '../chat/use-text-draft.ts'
import { refresh } from '../data/cache.ts'
import { replace, shownPath } from '../router.tsx'
import { pathOf } from './list.ts'

/** Drops what this page has of a deleted conversation. If it is open, the main one opens in its place. */
export function leaveConversation(accountId: string, id: string): void {
  keep(accountId, draftName(id), '')
  takeReady(id)
  refresh('getInstanceStatus', 'getSession', 'listNotifications', 'listQuestions')
  const isOpen = shownPath() === '/' && new URLSearchParams(window.location.search).get('conversation') === id
  if (!isOpen) return
  replace(pathOf(mainConversation))
  focusPage()
}

/** The dialog and the button behind it are gone with the conversation. */
export const focusPage = (): void =>
  void setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
  })
