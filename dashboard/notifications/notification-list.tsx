import type { Notification } from '../../domain/notifications/notification.ts'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh, usePages, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { Link } from '../router.tsx'
import { notificationTexts as words } from '../texts/notifications.ts'

const stale = () => refresh('getSession', 'listNotifications')

/** Newest first; following one marks it as read. */
export function NotificationList() {
  const { items, problem, reload, more, busy } = usePages('listNotifications', 'notifications', { limit: 30 })
  const readAll = useAction(async (upTo: string) => {
    await berth.readNotifications({ upTo })
    stale()
  })
  const newest = items?.[0]?.id
  return (
    <section aria-labelledby="notifications-title">
      <div className="section-head">
        <h2 id="notifications-title">{words.list}</h2>
        {newest && items.some(({ read }) => !read) && (
          <Button busy={readAll.busy} onClick={() => readAll.run(newest)}>
            {words.allRead}
          </Button>
        )}
      </div>
      {readAll.problem && <Notice tone="bad">{readAll.problem}</Notice>}
      {!items && <Loading problem={problem} retry={reload} />}
      {items?.length === 0 && <Empty text={words.none} hint={words.noneHint} />}
      {items && items.length > 0 && (
        <>
          <ol className="card rows" aria-label={words.list}>
            {items.map((each) => (
              <Row key={each.id} notification={each} />
            ))}
          </ol>
          <p className="muted">{words.kept}</p>
        </>
      )}
      <ShowOlder more={more} busy={busy} />
      <StandingNotices />
    </section>
  )
}

/** A kind of a later version is shown by its name. Facts are shown as plain text. */
function Row({ notification: { id, kind, facts, at, page, read } }: { notification: Notification }) {
  const title = words.kinds[kind]?.(facts) ?? kind
  const markRead = () => {
    if (!read) void berth.readNotifications({ ids: [id] }).then(stale, () => {})
  }
  return (
    <li className={read ? 'row notification' : 'row notification new'}>
      <span className="notification-dot" aria-hidden="true" />
      <div className="row-text">
        <p className="row-name">
          {!read && <span className="visually-hidden">{words.unread} </span>}
          {page === '/notifications' ? (
            title
          ) : (
            <Link to={page} onFollow={markRead}>
              {title}
            </Link>
          )}
        </p>
        {facts.text && (
          <p className="notification-text" dir="auto">
            {facts.text}
          </p>
        )}
        <p className="muted">
          <time dateTime={at}>{showDayTime(at)}</time>
        </p>
      </div>
    </li>
  )
}

/** Includes dismissed notices. */
function StandingNotices() {
  const { data } = useRead('listNotices')
  if (!data || data.notices.length === 0) return null
  return (
    <section aria-labelledby="standing-title">
      <h2 id="standing-title">{words.notices}</h2>
      <ul className="card rows">
        {data.notices.map(({ id, text, at }) => (
          <li key={id} className="row">
            <div className="row-text">
              <p className="notification-text" dir="auto">
                {text}
              </p>
              <p className="muted">{showDayTime(at)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
