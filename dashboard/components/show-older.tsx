import { texts } from '../texts/index.ts'
import { Button } from './button.tsx'

interface ShowOlderProps {
  /** Reads the next page; null at the end. */
  more: (() => void) | null
  busy: boolean
  reads?: boolean
}

export const ShowOlder = ({ more, busy, reads }: ShowOlderProps) =>
  more && (
    <p className="more">
      <Button reads={reads} busy={busy} onClick={more}>
        {texts.common.showOlder}
      </Button>
    </p>
  )
