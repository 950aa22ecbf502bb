import { useEffect } from 'react'
import { useServerEvents } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Deliveries } from '../channels/deliveries.tsx'
import { LinkSteps } from '../channels/link-steps.tsx'
import { LinkedChats } from '../channels/linked-chats.tsx'
import { repeatWhileSeen } from '../channels/repeat.ts'
import { Loading } from '../components/notice.tsx'
import { useData } from '../components/use-data.ts'

/** That a platform has thrown us out is told by no event. */
const rereadMs = 30_000

export function ConnectPage() {
  const { data, problem, reload } = useData(berth.listChannels)
  useServerEvents('channel.', reload)
  useEffect(() => repeatWhileSeen(reload, rereadMs), [reload])
  const isNowhere = data?.platforms.length === 0
  return (
    <>
      <h1>Connect</h1>
      <p className="muted page-lead">
        Talk to your agent where you chat anyway. It is the same agent: what you write to it there stands in its
        conversation here, too.
      </p>
      {!data && <Loading problem={problem} retry={reload} />}
      {isNowhere && <NoPlatform />}
      {data && !isNowhere && <LinkSteps {...data} />}
      {data && (!isNowhere || data.channels.length > 0) && (
        <>
          <LinkedChats channels={data.channels} reload={reload} />
          <Deliveries channels={data.channels} />
        </>
      )}
    </>
  )
}

function NoPlatform() {
  return (
    <div className="card empty">
      <p>There is no chat platform to link yet.</p>
      <p className="muted">
        Whoever runs this service has not set up Telegram, Slack or Discord. Once one of them is, you link it here.
      </p>
    </div>
  )
}
