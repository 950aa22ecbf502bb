import { Empty } from '../components/empty.tsx'
import { Loading } from '../components/notice.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { useRead } from '../data/cache.ts'
import { channelTexts as words } from '../texts/channels.ts'
import { Deliveries } from './deliveries.tsx'
import { LinkSteps } from './link-steps.tsx'
import { LinkedChats } from './linked-chats.tsx'

/** No event announces that a platform has removed the bot. */
const rereadMs = 30_000

export function ChannelsPart() {
  const { data, problem, reload } = useRead('listChannels')
  useRepeated(reload, rereadMs)
  const isNowhere = data?.platforms.length === 0
  return (
    <>
      <p className="muted page-lead">{words.lead}</p>
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

const NoPlatform = () => <Empty text={words.nowhere} hint={words.nowhereHint} />
