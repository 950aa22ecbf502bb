import { useRead } from '../data/cache.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { BellIcon } from './icons.tsx'

export function Bell() {
  const { data } = useRead('getSession')
  const unread = data?.unread ?? 0
  return (
    <Link to="/notifications" className="icon-button bell" label={texts.layout.notifications(unread)}>
      <BellIcon />
      {unread > 0 && <span className="bell-count">{unread > 99 ? '99+' : unread}</span>}
    </Link>
  )
}
