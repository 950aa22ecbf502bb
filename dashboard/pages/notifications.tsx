import { Tabs, useTab } from '../components/tabs.tsx'
import { NotificationList } from '../notifications/notification-list.tsx'
import { NotificationSettings } from '../notifications/settings.tsx'
import { notificationTexts as words } from '../texts/notifications.ts'
import '../styles/notifications.css'

export function NotificationsPage() {
  const tab = useTab(words.tabs)
  return (
    <>
      <h1>{words.title}</h1>
      <Tabs label={words.tabsLabel} tabs={words.tabs} />
      {tab === 'settings' ? <NotificationSettings /> : <NotificationList />}
    </>
  )
}
