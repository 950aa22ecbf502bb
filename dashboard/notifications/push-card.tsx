import type { Operations } from '../../clients/typescript/operations.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showDay, showDayTime } from '../format.ts'
import { notificationTexts as words } from '../texts/notifications.ts'
import { canPush, endSubscription, subscribe } from './subscription.ts'

interface Props {
  settings: Operations['getNotificationSettings']['output']
  reload: () => void
}

export function PushCard({ settings: { devices, publicKey }, reload }: Props) {
  const here = devices.find(({ current }) => current)
  const turnOn = useAction(async () => {
    await berth.addPushDevice(await subscribe(publicKey))
    reload()
  })
  const remove = useAction(async (id: string) => {
    await berth.removePushDevice({ id })
    if (id === here?.id) await endSubscription()
    reload()
  })
  const problem = turnOn.problem ?? remove.problem
  return (
    <section aria-labelledby="push-title">
      <h2 id="push-title">{words.push.title}</h2>
      <p className="muted">{words.push.hint}</p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!canPush() && <Notice tone="info">{words.push.cannot}</Notice>}
      {devices.length === 0 && <p className="card empty">{words.push.none}</p>}
      {devices.length > 0 && (
        <ul className="card rows">
          {devices.map(({ id, name, createdAt, failingSince, current }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">
                  {name}
                  {current && <span className="muted"> · {words.push.here}</span>}
                </p>
                <p className="muted">
                  {failingSince ? words.push.failing(showDayTime(failingSince)) : words.push.since(showDay(createdAt))}
                </p>
              </div>
              <Button of={current ? undefined : name} busy={remove.busy} onClick={() => remove.run(id)}>
                {current ? words.push.turnOff : words.push.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {!here && canPush() && (
        <p className="more">
          <Button variant="primary" busy={turnOn.busy} onClick={() => turnOn.run()}>
            {words.push.turnOn}
          </Button>
        </p>
      )}
    </section>
  )
}
