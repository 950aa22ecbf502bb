import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { accountTexts } from '../texts/account.ts'

const words = accountTexts.devices

export function DevicesCard() {
  const { data, problem, reload } = useRead('listSessions')
  const end = useAction(async (id: string) => {
    await berth.endSession({ id })
    reload()
  })
  return (
    <section aria-labelledby="devices-title">
      <h2 id="devices-title">{words.title}</h2>
      {end.problem && <Notice tone="bad">{end.problem}</Notice>}
      {!data && <Loading problem={problem} retry={reload} />}
      {data && (
        <ul className="card rows">
          {data.sessions.map(({ id, device, current, createdAt, lastSeenAt }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{device}</p>
                <p className="muted">
                  {current
                    ? words.here(showDayTime(createdAt))
                    : words.elsewhere(showDayTime(createdAt), showDayTime(lastSeenAt))}
                </p>
              </div>
              {!current && (
                <Button of={device} disabled={end.busy} onClick={() => end.run(id)}>
                  {words.signOut}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
