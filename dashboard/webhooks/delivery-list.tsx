import type { WebhookDelivery } from '../../domain/webhooks/delivery.ts'
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { Button } from '../components/button.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { webhookTexts } from '../texts/webhooks.ts'

const words = webhookTexts.deliveries

export function DeliveryList({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id } = endpoint
  const { data, problem, reload } = useRead('listWebhookDeliveries', { id, limit: 20 })
  const replay = useAction(async (delivery: string) => {
    await berth.replayWebhookDelivery({ id, delivery })
    reload()
  })
  return (
    <div className="hint">
      <Button of={words.lookAgainAt(endpoint.name)} onClick={reload}>
        {words.lookAgain}
      </Button>
      {data && data.deliveries.length === 0 && <p className="muted">{words.empty}</p>}
      <ul className="rows" aria-label={words.title(endpoint.name)}>
        {data?.deliveries.map((delivery) => (
          <li key={delivery.id} className="row">
            <span className="row-name">
              <code>{delivery.type}</code> {words.states[delivery.state]}
              <br />
              <span className="muted">
                {showDayTime(delivery.createdAt)}
                {describeTries(delivery)}
              </span>
            </span>
            <Button
              of={words.sendAgainOf(delivery.type, showDayTime(delivery.createdAt))}
              busy={replay.busy}
              onClick={() => replay.run(delivery.id)}
            >
              {words.sendAgain}
            </Button>
          </li>
        ))}
      </ul>
      <Problem text={replay.problem ?? problem} />
    </div>
  )
}

function describeTries({ tries, nextTryAt, cancelled }: WebhookDelivery): string {
  const last = tries.at(-1)
  const parts = [
    tries.length > 1 && words.tries(tries.length),
    last &&
      (last.failure
        ? words.failedAfter(words.failures[last.failure], last.latencyMs)
        : words.answered(last.status, last.latencyMs)),
    cancelled && words.cancelled[cancelled],
    nextTryAt && tries.length > 0 && words.nextTry(showDayTime(nextTryAt)),
  ]
  return parts.map((part) => (part ? ` · ${part}` : '')).join('')
}
