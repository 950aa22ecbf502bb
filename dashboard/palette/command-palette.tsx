import { type KeyboardEvent, useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { forgetKept } from '../chat/browser-storage.ts'
import { Dialog } from '../components/dialog.tsx'
import { pathOf, startConversation } from '../conversations/list.ts'
import { berth, errorText } from '../data/client.ts'
import { offeredActions } from '../instance/offered-actions.ts'
import { pages } from '../navigation.tsx'
import { go } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { paletteTexts } from '../texts/palette.ts'
import { chooseTheme, themes } from '../theme.ts'
import { type Command, useFound } from './found.ts'
import '../styles/palette.css'

interface PaletteProps {
  onClose: () => void
  onSignedOut: () => void
  onKeys: () => void
}

export function CommandPalette({ onClose, onSignedOut, onKeys }: PaletteProps) {
  const commands = useCommands(onSignedOut, onKeys)
  const [typed, setTyped] = useState('')
  const found = useFound(typed)
  const [chosen, setChosen] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const matches = [...commands.filter(({ name }) => fits(name, typed)), ...found]
  const current = Math.min(chosen, matches.length - 1)

  const run = async (command: Command | undefined) => {
    if (!command) return
    try {
      await command.run()
      onClose()
    } catch (thrown) {
      setProblem(errorText(thrown))
    }
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((current + step + matches.length) % Math.max(matches.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(matches[current])
    }
  }

  return (
    <Dialog className="palette" aria-label={paletteTexts.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={paletteTexts.title}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={matches.length > 0 ? `palette-${current}` : undefined}
        placeholder={paletteTexts.placeholder}
        autoComplete="off"
        maxLength={100}
        value={typed}
        onKeyDown={move}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosen(0)
        }}
      />
      {problem && (
        <p className="field-problem" role="alert">
          {paletteTexts.failed} {problem}
        </p>
      )}
      <p className="visually-hidden" role="status">
        {paletteTexts.found(matches.length)}
      </p>
      <div id="palette-list" role="listbox" aria-label={paletteTexts.title} className="palette-list">
        {matches.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled where the focus is, in the field above
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
          <div
            key={command.key ?? command.name}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === current}
            ref={index === current ? (option) => option?.scrollIntoView({ block: 'nearest' }) : undefined}
            onPointerMove={() => setChosen(index)}
            onClick={() => run(command)}
          >
            <bdi>{command.name}</bdi>
            {command.kind && <span className="muted">{command.kind}</span>}
          </div>
        ))}
      </div>
      {matches.length === 0 && <p className="muted">{paletteTexts.none}</p>}
    </Dialog>
  )
}

/** Every typed word begins a word of the name. */
function fits(name: string, typed: string): boolean {
  const words = name.toLocaleLowerCase().split(/[\s:]+/)
  const wanted = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return wanted.every((start) => words.some((word) => word.startsWith(start)))
}

function useCommands(onSignedOut: () => void, onKeys: () => void): Command[] {
  const { status, setInstance } = useAccount()
  const offered = status?.instance && offeredActions(status.instance.state)
  return [
    ...pages.map(({ path, name }) => ({ name: paletteTexts.goTo(name), run: () => go(path) })),
    {
      name: paletteTexts.newConversation,
      run: async () => go(pathOf(await startConversation())),
    },
    ...(offered?.pause
      ? [{ name: paletteTexts.pause, run: async () => setInstance((await berth.pauseInstance()).instance) }]
      : []),
    ...(offered?.resume
      ? [{ name: paletteTexts.resume, run: async () => setInstance((await berth.resumeInstance()).instance) }]
      : []),
    { name: paletteTexts.topUp, run: () => go('/wallet') },
    { name: paletteTexts.keys, run: onKeys },
    ...themes.map((theme) => ({
      name: paletteTexts.theme(texts.layout.themes[theme]),
      run: () => chooseTheme(theme),
    })),
    {
      name: paletteTexts.signOut,
      run: async () => {
        await berth.logout()
        forgetKept()
        onSignedOut()
      },
    },
  ]
}
