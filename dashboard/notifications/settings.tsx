import { type Group, groups, ways } from '../../domain/notifications/kinds.ts'
import type { Muting } from '../../domain/notifications/notification.ts'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { notificationTexts as words } from '../texts/notifications.ts'
import { PushCard } from './push-card.tsx'

export function NotificationSettings() {
  const { data, setData, problem, reload } = useRead('getNotificationSettings')
  const save = useAction(async (muted: Muting[]) => {
    if (!data) return
    setData({ ...data, muted })
    await berth.setNotificationSettings({ muted }).catch((refusal) => {
      setData(data)
      throw refusal
    })
  })
  if (!data) return <Loading problem={problem} retry={reload} />
  const toggle = (name: Muting) =>
    save.run(data.muted.includes(name) ? data.muted.filter((each) => each !== name) : [...data.muted, name])
  return (
    <>
      <section aria-labelledby="wanted-title">
        <h2 id="wanted-title">{words.tabs.settings}</h2>
        {save.problem && <Notice tone="bad">{save.problem}</Notice>}
        <div className="card notification-choices">
          <table>
            <thead>
              <tr>
                <th scope="col">{words.about}</th>
                {ways.map((way) => (
                  <th key={way} scope="col">
                    {words.ways[way]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => (
                <tr key={group}>
                  <About group={group} />
                  {ways.map((way) => (
                    <td key={way}>
                      <input
                        type="checkbox"
                        aria-label={words.wayOf(words.groups[group][0], words.ways[way])}
                        checked={!data.muted.includes(`${way}.${group}`)}
                        onChange={() => toggle(`${way}.${group}`)}
                      />
                    </td>
                  ))}
                </tr>
              ))}
              <tr>
                <About group="security" />
                {ways.map((way) => (
                  <td key={way} className="muted">
                    {words.always}
                  </td>
                ))}
              </tr>
            </tbody>
          </table>
        </div>
      </section>
      <PushCard settings={data} reload={reload} />
    </>
  )
}

function About({ group }: { group: Group | 'security' }) {
  const [name, hint] = words.groups[group]
  return (
    <th scope="row">
      {name}
      <span className="muted">{hint}</span>
    </th>
  )
}
