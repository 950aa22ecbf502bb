import { useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { forgetKept } from '../chat/browser-storage.ts'
import { berth } from '../data/client.ts'
import { Link, usePath } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { chooseTheme, chosenTheme, themes } from '../theme.ts'
import { ChoiceField } from './choice-field.tsx'
import { AccountIcon } from './icons.tsx'
import { useAction } from './use-action.ts'

export function AccountMenu({ onSignedOut }: { onSignedOut: () => void }) {
  const { account } = useAccount()
  const path = usePath()
  const signOut = useAction(async () => {
    await berth.logout()
    forgetKept()
    onSignedOut()
  })
  return (
    <>
      <button
        type="button"
        className="icon-button"
        data-reads
        popoverTarget="account-menu"
        aria-label={texts.layout.account}
      >
        <AccountIcon />
      </button>
      <div id="account-menu" popover="auto" className="menu">
        <p className="muted">{texts.layout.signedInAs}</p>
        <p className="menu-email">{account.email}</p>
        {signOut.problem && <p className="field-problem">{signOut.problem}</p>}
        <Link to="/account" className="button plain wide" current={path === '/account'}>
          {texts.layout.accountSettings}
        </Link>
        <Link to="/billing" className="button plain wide" current={path === '/billing'}>
          {texts.layout.pages.billing}
        </Link>
        <a href="/docs" className="button plain wide" data-reads>
          {texts.layout.apiDocs}
        </a>
        <Appearance />
        <button type="button" className="button plain wide" onClick={() => signOut.run()}>
          {texts.layout.signOut}
        </button>
      </div>
    </>
  )
}

function Appearance() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <ChoiceField
      label={texts.layout.theme}
      value={theme}
      options={themes.map((name) => [name, texts.layout.themes[name]])}
      onChoice={(chosen) => {
        chooseTheme(chosen)
        setTheme(chosen)
      }}
    />
  )
}
