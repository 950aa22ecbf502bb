import type { ReactNode } from 'react'
import type { Conversation } from './chat/conversation.ts'
import { ChatIcon, FilesIcon, InstanceIcon, SkillIcon, TokenIcon, WalletIcon } from './components/icons.tsx'
import { AccountPage } from './pages/account.tsx'
import { BillingPage } from './pages/billing.tsx'
import { ChatPage } from './pages/chat.tsx'
import { FilesPage } from './pages/files.tsx'
import { InstancePage } from './pages/instance.tsx'
import { PersonasPage } from './pages/personas.tsx'
import { SkillsPage } from './pages/skills.tsx'
import { TokensPage } from './pages/tokens.tsx'
import { WalletPage } from './pages/wallet.tsx'
import { Link } from './router.tsx'

interface PageEntry {
  path: string
  name: string
  Page: (props: { conversation: Conversation }) => ReactNode
  /** Only of pages that are in the navigation; the others are reached from them. */
  Icon?: () => ReactNode
}

export const pages: PageEntry[] = [
  { path: '/', name: 'Chat', Page: ChatPage, Icon: ChatIcon },
  { path: '/wallet', name: 'Wallet', Page: WalletPage, Icon: WalletIcon },
  { path: '/instance', name: 'Instance', Page: InstancePage, Icon: InstanceIcon },
  { path: '/files', name: 'Files', Page: FilesPage, Icon: FilesIcon },
  { path: '/skills', name: 'Skills', Page: SkillsPage, Icon: SkillIcon },
  { path: '/tokens', name: 'Tokens', Page: TokensPage, Icon: TokenIcon },
  { path: '/personas', name: 'Personas', Page: PersonasPage },
  { path: '/account', name: 'Account', Page: AccountPage },
  { path: '/billing', name: 'Billing', Page: BillingPage },
]

export function Navigation({ current }: { current: string }) {
  return (
    <nav aria-label="Pages">
      {pages.map(
        ({ path, name, Icon }) =>
          Icon && (
            <Link key={path} to={path} current={path === current || (path === '/skills' && current === '/personas')}>
              <Icon />
              {name}
            </Link>
          ),
      )}
    </nav>
  )
}
