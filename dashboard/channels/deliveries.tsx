import { useState } from 'react'
import type { ChannelDelivery, ChannelLink } from '../../clients/typescript/operations.ts'
import { cut } from '../../domain/text.ts'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { PlatformIcon } from '../components/icons.tsx'
import { Loading, Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'
import { platformLabel } from '../labels.ts'
import { channelTexts } from '../texts/channels.ts'
import { texts } from '../texts/index.ts'
import { chatName } from './chat-name.ts'
import { deliveryState } from './delivery-words.ts'
import { useDeliveries } from './use-deliveries.ts'

const words = channelTexts.deliveries

const all = () => true
const isFailed = ({ state }: ChannelDelivery) => state === 'failed'

export function Deliveries({ channels }: { channels: ChannelLink[] }) {
  const { read, problem, readNewest, readOlder, retry } = useDeliveries()
  const [failedOnly, setFailedOnly] = useState(false)
  const older = useAction((failed: boolean) => (failed ? readOlder(isFailed, 100) : readOlder(all)))
  const shown = read?.deliveries.filter(failedOnly ? isFailed : all)
  const names = new Map(channels.map((channel) => [channel.id, chatName(channel)]))

  const choose = (failed: boolean) => {
    setFailedOnly(failed)
    if (failed && read?.cursor && !read.deliveries.some(isFailed)) void older.run(true)
  }
  return (
    <section aria-labelledby="deliveries-title">
      <div className="section-head">
        <h2 id="deliveries-title">{words.title}</h2>
        <ChoiceField
          label={words.show}
          className="inline-choice"
          value={failedOnly ? 'failed' : 'all'}
          options={[
            ['all', words.everything],
            ['failed', words.failed],
          ]}
          onChoice={(shown) => choose(shown === 'failed')}
        />
      </div>
      {!read && <Loading problem={problem} retry={readNewest} />}
      {read && problem && <Notice tone="bad">{problem}</Notice>}
      {read && shown?.length === 0 && <None failedOnly={failedOnly} looked={read.deliveries.length} {...read} />}
      {shown && shown.length > 0 && (
        <ol className="card rows" aria-label={words.label}>
          {shown.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              chat={names.get(delivery.chat) ?? words.notLinked(platformLabel(delivery.platform))}
              retry={retry}
            />
          ))}
        </ol>
      )}
      {older.problem && <Notice tone="bad">{older.problem}</Notice>}
      {read?.cursor && (
        <p className="more">
          <Button busy={older.busy} onClick={() => older.run(failedOnly)}>
            {failedOnly ? words.furtherBack : texts.common.showOlder}
          </Button>
        </p>
      )}
    </section>
  )
}

const None = ({ failedOnly, looked, cursor }: { failedOnly: boolean; looked: number; cursor: string | null }) => (
  <div className="card empty">
    {failedOnly ? (
      <p>{cursor ? words.noneOf(looked) : words.noneFailed}</p>
    ) : (
      <>
        <p>{words.none}</p>
        <p className="muted">{words.noneHint}</p>
      </>
    )}
  </div>
)

interface RowProps {
  delivery: ChannelDelivery
  chat: string
  retry: (delivery: ChannelDelivery) => Promise<void>
}

function DeliveryRow({ delivery, chat, retry }: RowProps) {
  const { platform, direction, text, at, reason, nextTryAt } = delivery
  const again = useAction(() => retry(delivery))
  const state = deliveryState(delivery)
  return (
    <li className="row channel-row">
      <PlatformIcon platform={platform} />
      <div className="row-text">
        <p className="delivery-text">{text || <span className="muted">{words.noText}</span>}</p>
        <p className="muted">
          {direction === 'in' ? words.from(chat) : words.to(chat)} · <time dateTime={at}>{showDayTime(at)}</time> ·{' '}
          {isFailed(delivery) ? <span className="pill bad">{state}</span> : state}
          {reason && `: ${reason}`}
          {nextTryAt && (
            <>
              {` · ${words.nextTry} `}
              <time dateTime={nextTryAt}>{showDayTime(nextTryAt)}</time>
            </>
          )}
        </p>
        {again.problem && <Problem text={again.problem} />}
      </div>
      {isFailed(delivery) && (
        <Button busy={again.busy} onClick={() => again.run()}>
          {texts.common.tryAgain}
          <span className="visually-hidden">: {cut(text, 60)}</span>
        </Button>
      )}
    </li>
  )
}
