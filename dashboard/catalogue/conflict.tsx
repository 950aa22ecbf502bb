import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { Differences } from './differences.tsx'
import type { PersonaDraft } from './persona-draft.ts'

const words = catalogueTexts.conflict

interface Props {
  mine: PersonaDraft
  theirs: PersonaDraft
  busy: boolean
  onKeep: () => void
  onTake: () => void
  onMerge: () => void
}

/** Another version was saved meanwhile: nothing is saved before the user has chosen. */
export function Conflict({ mine, theirs, busy, onKeep, onTake, onMerge }: Props) {
  const isDeleted = theirs.basedOn === 0
  const names = { before: words.theirs(theirs.basedOn), after: words.mine }
  return (
    <section className="conflict" aria-labelledby="conflict-title">
      <Notice tone="bad">
        <strong id="conflict-title">{isDeleted ? words.deleted : words.title(theirs.basedOn)}</strong>{' '}
        {isDeleted ? words.deletedHint : words.hint(mine.basedOn)}
      </Notice>
      {!isDeleted && <Differences before={theirs.files} after={mine.files} names={names} />}
      {!isDeleted && mine.name !== theirs.name && <p>{words.names(theirs.name, mine.name)}</p>}
      {!isDeleted && mine.description !== theirs.description && (
        <p>{words.descriptions(theirs.description, mine.description)}</p>
      )}
      <div className="buttons">
        <Button variant="primary" busy={busy} onClick={onKeep}>
          {isDeleted ? words.saveAnew : words.keepMine}
        </Button>
        <Button onClick={onTake}>{isDeleted ? words.letGo : words.takeTheirs}</Button>
        {!isDeleted && <Button onClick={onMerge}>{words.together}</Button>}
      </div>
    </section>
  )
}
