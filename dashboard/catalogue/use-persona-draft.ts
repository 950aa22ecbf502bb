import { useEffect, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { useKeptDraft } from '../components/use-kept-draft.ts'
import { useRead } from '../data/cache.ts'
import { blankDraft, isSameText, type PersonaDraft, parseDraft, placeOf, placeOfNew } from './persona-draft.ts'

/**
 * @param copied the initial content of a new persona
 * @returns `newest`: null until read, blank for a new or deleted persona
 */
export function usePersonaDraft(id: string | null, copied: PersonaDraft | null) {
  const read = useRead('getPersona', id === null ? null : { id })
  const kept = useKeptDraft(id === null ? placeOfNew(copied?.copiedFrom) : placeOf(id), parseDraft)
  const [isMerging, setIsMerging] = useState(false)
  const isGone = read.error instanceof BerthError && read.error.code === 'not-found'
  const newest = newestOf()
  const { draft } = kept
  const isUnsaved = draft !== null && newest !== null && !isSameText(draft, newest)
  const isInTheWay = isUnsaved && draft.basedOn !== newest.basedOn

  // A draft that equals the saved text is no longer a draft: the answer to the user's own save may have been lost.
  const isSettled = draft !== null && newest !== null && !isUnsaved && draft.basedOn !== newest.basedOn
  const { drop } = kept
  useEffect(() => {
    if (isSettled) drop()
  }, [isSettled, drop])

  function newestOf(): PersonaDraft | null {
    if (id === null) return { ...(copied ?? blankDraft), basedOn: 0 }
    if (isGone) return { ...blankDraft, id }
    if (!read.data) return null
    const { persona, texts } = read.data
    return { id, name: persona.name, description: persona.description, files: texts, basedOn: persona.version }
  }

  return {
    ...kept,
    shown: kept.isRead && newest ? (draft ?? newest) : null,
    newest,
    isActive: read.data?.persona.active ?? false,
    isUnsaved,
    isGone: isGone && draft !== null,
    isInTheWay: isInTheWay && !isMerging,
    isMerging: isMerging && isUnsaved,
    problem: isGone && draft !== null ? null : read.problem,
    reload: read.reload,
    set: (change: Partial<PersonaDraft>) => {
      if (newest) kept.keep({ ...(draft ?? newest), ...change })
    },
    /** Bases the draft on the newest version, and puts both texts together. */
    merge: () => {
      if (!newest || !draft) return
      kept.keep({ ...draft, basedOn: newest.basedOn })
      setIsMerging(true)
    },
    endMerge: () => setIsMerging(false),
  }
}
