import type { ReactNode } from 'react'
import type { PagePath } from '../domain/dashboard-pages.ts'
import type { Conversation } from './chat/conversation.ts'
import {
  ChatIcon,
  ConnectIcon,
  FilesIcon,
  InstanceIcon,
  SkillIcon,
  TokenIcon,
  WalletIcon,
} from './components/icons.tsx'
import { AccountPage } from './pages/account.tsx'
import { BillingPage } from './pages/billing.tsx'
import { ChatPage } from './pages/chat.tsx'
import { ConnectPage } from './pages/connect.tsx'
import { ConnectSlackPage } from './pages/connect-slack.tsx'
import { FilesPage } from './pages/files.tsx'
import { InstancePage } from './pages/instance.tsx'
import { PersonasPage } from './pages/personas.tsx'
import { SkillsPage } from './pages/skills.tsx'
import { TokensPage } from './pages/tokens.tsx'
import { WalletPage } from './pages/wallet.tsx'
import { Link } from './router.tsx'

interface Page {
  name: string
  Page: (props: { conversation: Conversation }) => ReactNode
  /** Only of pages that are in the navigation; the others are reached from them. */
  Icon?: () => ReactNode
}

const byPath: Record<PagePath, Page> = {
  '/': { name: 'Chat', Page: ChatPage, Icon: ChatIcon },
  '/wallet': { name: 'Wallet', Page: WalletPage, Icon: WalletIcon },
  '/instance': { name: 'Instance', Page: InstancePage, Icon: InstanceIcon },
  '/files': { name: 'Files', Page: FilesPage, Icon: FilesIcon },
  '/skills': { name: 'Skills', Page: SkillsPage, Icon: SkillIcon },
  '/tokens': { name: 'Tokens', Page: TokensPage, Icon: TokenIcon },
  '/connect': { name: 'Connect', Page: ConnectPage, Icon: ConnectIcon },
  '/personas': { name: 'Personas', Page: PersonasPage },
  '/account': { name: 'Account', Page: AccountPage },
  '/billing': { name: 'Billing', Page: BillingPage },
  '/connect/slack': { name: 'Slack', Page: ConnectSlackPage },
}

/** Pages that are reached from another one, which is shown as the current one. */
const within: Readonly<Record<string, string>> = { '/personas': '/skills', '/connect/slack': '/connect' }

export const pages = Object.entries(byPath).map(([path, page]) => ({ path, ...page }))

export function Navigation({ current }: { current: string }) {
  return (
    <nav aria-label="Pages">
      {pages.map(
        ({ path, name, Icon }) =>
          Icon && (
            <Link key={path} to={path} current={path === (within[current] ?? current)}>
              <Icon />
              {name}
            </Link>
          ),
      )}
    </nav>
  )
}
