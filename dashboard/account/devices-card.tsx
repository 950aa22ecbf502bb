import { berth } from '../api/client.ts'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

export function DevicesCard() {
  const { data, problem, reload } = useData(berth.listSessions)
  const end = useAction(async (id: string) => {
    await berth.endSession({ id })
    reload()
  })
  return (
    <section aria-labelledby="devices-title">
      <h2 id="devices-title">Signed-in devices</h2>
      {end.problem && <Notice tone="bad">{end.problem}</Notice>}
      {!data && <Loading problem={problem} retry={reload} />}
      {data && (
        <ul className="card rows">
          {data.sessions.map(({ id, device, current, createdAt, lastSeenAt }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{device}</p>
                <p className="muted">
                  Signed in {showDayTime(createdAt)} ·{' '}
                  {current ? 'this device, now' : `last seen ${showDayTime(lastSeenAt)}`}
                </p>
              </div>
              {!current && (
                <button type="button" className="button plain" disabled={end.busy} onClick={() => end.run(id)}>
                  Sign out<span className="visually-hidden"> {device}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
