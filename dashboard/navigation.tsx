import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode } from 'react'
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
import { Link } from './router.tsx'
import { texts } from './texts/index.ts'

type PageComponent = ComponentType<{ conversation: Conversation }>

interface Page {
  path: string
  name: string
  /** The class that the page's stylesheet is nested in. */
  className: string
  Page: LazyExoticComponent<PageComponent>
  fetch: () => void
  /** Only for pages in the navigation. */
  Icon?: () => ReactNode
  /** The page that the navigation marks as current. */
  within?: PagePath
}

const { pages: names } = texts.layout

const page = (name: string, load: () => Promise<PageComponent>, rest: Pick<Page, 'Icon' | 'within'> = {}) => ({
  name,
  Page: lazy(async () => ({ default: await load() })),
  // A page that fails to load reports that when it is opened.
  fetch: () => void load().catch(() => {}),
  ...rest,
})

const byPath: Record<PagePath, Omit<Page, 'path' | 'className'>> = {
  '/': page(names.chat, async () => (await import('./pages/chat.tsx')).ChatPage, { Icon: ChatIcon }),
  '/wallet': page(names.wallet, async () => (await import('./pages/wallet.tsx')).WalletPage, { Icon: WalletIcon }),
  '/instance': page(names.instance, async () => (await import('./pages/instance.tsx')).InstancePage, {
    Icon: InstanceIcon,
  }),
  '/files': page(names.files, async () => (await import('./pages/files.tsx')).FilesPage, { Icon: FilesIcon }),
  '/skills': page(names.skills, async () => (await import('./pages/skills.tsx')).SkillsPage, { Icon: SkillIcon }),
  '/tokens': page(names.tokens, async () => (await import('./pages/tokens.tsx')).TokensPage, { Icon: TokenIcon }),
  '/connect': page(names.connect, async () => (await import('./pages/connect.tsx')).ConnectPage, { Icon: ConnectIcon }),
  '/personas': page(names.personas, async () => (await import('./pages/personas.tsx')).PersonasPage, {
    within: '/skills',
  }),
  '/account': page(names.account, async () => (await import('./pages/account.tsx')).AccountPage),
  '/billing': page(names.billing, async () => (await import('./pages/billing.tsx')).BillingPage),
  '/notifications': page(
    names.notifications,
    async () => (await import('./pages/notifications.tsx')).NotificationsPage,
  ),
  '/connect/slack': page(names.slack, async () => (await import('./pages/connect-slack.tsx')).ConnectSlackPage, {
    within: '/connect',
  }),
  '/models': page(names.models, async () => (await import('./pages/models.tsx')).ModelsPage, { within: '/instance' }),
}

const classOf = (path: string): string => `page ${path === '/' ? 'chat' : path.slice(1).replace('/', '-')}-page`

export const pages: readonly Page[] = Object.entries(byPath).map(([path, page]) => ({
  path,
  className: classOf(path),
  ...page,
}))

export function Navigation({ current }: { current: string }) {
  const shown = pages.find(({ path }) => path === current)?.within ?? current
  return (
    <nav aria-label={texts.layout.navigation}>
      {pages.map(
        ({ path, name, Icon, fetch }) =>
          Icon && (
            <Link key={path} to={path} current={path === shown} onNear={fetch}>
              <Icon />
              {name}
            </Link>
          ),
      )}
    </nav>
  )
}
