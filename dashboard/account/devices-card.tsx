import type { Session } from '../../domain/account/user.ts'
import { Loading, Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { showDayTime } from '../words.ts'
import { accountApi } from './calls.ts'
import { useList } from './use-list.ts'

const read = async () => (await accountApi.sessions()).sessions

export function DevicesCard() {
  const { items, problem, reload } = useList<Session>(read)
  const end = useAction(async (id: string) => {
    await accountApi.endSession(id)
    reload()
  })
  return (
    <section aria-labelledby="devices-title">
      <h2 id="devices-title">Signed-in devices</h2>
      {end.problem && <Notice tone="bad">{end.problem}</Notice>}
      {!items && <Loading problem={problem} retry={reload} />}
      {items && (
        <ul className="card rows">
          {items.map(({ id, device, current, createdAt, lastSeenAt }) => (
            <li key={id} className="row">
              <div className="row-what">
                <p className="row-name">{device}</p>
                <p className="muted">
                  Signed in {showDayTime(createdAt)} ·{' '}
                  {current ? 'this device, now' : `last seen ${showDayTime(lastSeenAt)}`}
                </p>
              </div>
              {!current && (
                <button type="button" className="button plain" disabled={end.busy} onClick={() => end.run(id)}>
                  Sign out<span className="unseen"> {device}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
