import type { InstanceStatus } from '../clients/typescript/operations.ts'
import type { ShownState } from '../domain/instance/instance.ts'
import { useAccount } from './account-state.tsx'
import { AccountMenu } from './components/account-menu.tsx'
import { Bell } from './components/bell.tsx'
import { Brand, SearchIcon } from './components/icons.tsx'
import { StatePill } from './components/state-pill.tsx'
import { showBalance } from './format.ts'
import { stateLabel } from './labels.ts'
import { Navigation } from './navigation.tsx'
import { Link } from './router.tsx'
import { texts } from './texts/index.ts'

interface HeaderProps {
  path: string
  onSearch: () => void
  onSignedOut: () => void
}

export function Header({ path, onSearch, onSignedOut }: HeaderProps) {
  const { status } = useAccount()
  return (
    <header className="header">
      <Link to="/" className="home" label={texts.layout.home}>
        <Brand />
      </Link>
      <Navigation current={path} />
      <div className="header-status">
        {status && <StatusLinks status={status} />}
        <button
          type="button"
          className="icon-button"
          aria-label={texts.layout.search}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onSearch}
        >
          <SearchIcon />
        </button>
        <Bell />
        <AccountMenu onSignedOut={onSignedOut} />
      </div>
      <span className="visually-hidden" role="status">
        {status?.instance ? texts.layout.instanceNow(stateName(status.instance.state)) : ''}
      </span>
    </header>
  )
}

function StatusLinks({ status: { instance, wallet, subscription } }: { status: InstanceStatus }) {
  const balance = showBalance(wallet.balanceMicros)
  return (
    <>
      <Link to="/instance" className="header-link" label={texts.layout.instanceLink(stateName(instance?.state))}>
        <StatePill state={instance?.state ?? null} />
      </Link>
      <Link to="/wallet" className="header-link" label={texts.layout.balanceLink(balance)}>
        <span className={wallet.low && subscription.status !== 'none' ? 'pill balance low' : 'pill balance'}>
          {balance}
        </span>
      </Link>
    </>
  )
}

const stateName = (state: ShownState | undefined) =>
  state ? stateLabel(state).label.toLowerCase() : texts.layout.noInstance.toLowerCase()
