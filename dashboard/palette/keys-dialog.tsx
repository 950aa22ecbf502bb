import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { paletteTexts } from '../texts/palette.ts'
import '../styles/palette.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
const command = isApple ? '⌘' : 'Ctrl'

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const words = paletteTexts.keyList
  const lines: [keys: string[], what: string][] = [
    [[command, 'K'], words.palette],
    [['?'], words.help],
    [['Enter'], words.send],
    [['Shift', 'Enter'], words.newLine],
    [['↑', '↓'], words.move],
    [['Page ↑', 'Page ↓'], words.scroll],
    [['Esc'], words.close],
  ]
  return (
    <Dialog aria-label={paletteTexts.keysTitle} onClose={onClose}>
      {(close) => (
        <>
          <h2>{paletteTexts.keysTitle}</h2>
          <dl className="key-list">
            {lines.map(([keys, what]) => (
              <div key={what}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <div className="buttons end">
            <Button reads onClick={() => close(true)}>
              {paletteTexts.close}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
