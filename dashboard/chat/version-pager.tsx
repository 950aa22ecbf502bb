import { LeftIcon, RightIcon } from '../components/icons.tsx'
import { texts } from '../texts/index.ts'

interface Props {
  /** The versions of the message, oldest first. */
  versions: readonly string[]
  /** The shown one. */
  id: string
  onShow: (id: string) => void
}

/** Pages through the versions of a message. */
export function VersionPager({ versions, id, onShow }: Props) {
  const at = versions.indexOf(id)
  const [before, after] = [versions[at - 1], versions[at + 1]]
  return (
    <span className="version-pager">
      <Step label={texts.chat.versions.before} to={before} onShow={onShow}>
        <LeftIcon />
      </Step>
      <span aria-hidden="true">
        {at + 1} / {versions.length}
      </span>
      <span className="visually-hidden" role="status">
        {texts.chat.versions.shown(at + 1, versions.length)}
      </span>
      <Step label={texts.chat.versions.after} to={after} onShow={onShow}>
        <RightIcon />
      </Step>
    </span>
  )
}

interface StepProps {
  label: string
  to: string | undefined
  onShow: (id: string) => void
  children: React.ReactNode
}

/** Keeps its focus at the first and the last version. */
const Step = ({ label, to, onShow, children }: StepProps) => (
  <button
    type="button"
    className="link-button"
    data-reads
    aria-label={label}
    aria-disabled={to === undefined || undefined}
    onClick={() => to !== undefined && onShow(to)}
  >
    {children}
  </button>
)
