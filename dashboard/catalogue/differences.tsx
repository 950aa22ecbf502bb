import { ComparisonView } from '../compare/comparison-view.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { type PersonaFile, pairsOf } from './persona-draft.ts'

interface Props {
  before: readonly PersonaFile[]
  after: readonly PersonaFile[]
  names: { before: string; after: string }
  /** Takes back one change of a file. */
  onTake?: (path: string, text: string) => void
}

export function Differences({ before, after, names, onTake }: Props) {
  const pairs = pairsOf(before, after).filter((pair) => pair.before !== pair.after)
  if (pairs.length === 0) return <p className="muted">{catalogueTexts.versions.same}</p>
  return pairs.map((pair) => (
    <figure key={pair.path} className="difference">
      <figcaption>{pair.path}</figcaption>
      <ComparisonView
        before={pair.before}
        after={pair.after}
        names={names}
        onTake={onTake && ((text) => onTake(pair.path, text))}
      />
    </figure>
  ))
}
