import { useCallback } from 'react'
import type { DeliveryTry, WebhookDelivery } from '../../domain/webhooks/delivery.ts'
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

/** What was sent to an endpoint lately, and how it went. */
export function DeliveryList({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id } = endpoint
  const read = useCallback(() => berth.listWebhookDeliveries({ id, limit: 20 }), [id])
  const { data, problem, reload } = useData(read)
  const replay = useAction(async (delivery: string) => {
    await berth.replayWebhookDelivery({ id, delivery })
    reload()
  })
  return (
    <div className="hint">
      <Button onClick={reload}>
        Look again<span className="visually-hidden"> at what was sent to {endpoint.name}</span>
      </Button>
      {data && data.deliveries.length === 0 && <p className="muted">Nothing was sent in the last week.</p>}
      <ul className="rows" aria-label={`What was sent to ${endpoint.name}`}>
        {data?.deliveries.map((delivery) => (
          <li key={delivery.id} className="row">
            <span className="row-name">
              <code>{delivery.type}</code> {stateLabels[delivery.state]}
              <br />
              <span className="muted">
                {showDayTime(delivery.createdAt)}
                {describeTries(delivery)}
              </span>
            </span>
            <Button busy={replay.busy} onClick={() => replay.run(delivery.id)}>
              Send again
              <span className="visually-hidden">
                {' '}
                {delivery.type} of {showDayTime(delivery.createdAt)}
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <p className="field-problem" role="alert">
        {replay.problem ?? problem}
      </p>
    </div>
  )
}

const stateLabels: Record<WebhookDelivery['state'], string> = {
  pending: 'waits',
  delivered: 'was delivered',
  failed: 'failed',
}

const failureLabels: Record<NonNullable<DeliveryTry['failure']>, string> = {
  'refused-address': 'its address is not public',
  unreachable: 'could not be reached',
  timeout: 'did not answer in time',
  tls: 'has no valid certificate',
}

const cancelledLabels: Record<NonNullable<WebhookDelivery['cancelled']>, string> = {
  'endpoint-deleted': 'the endpoint is gone',
  'endpoint-disabled': 'the endpoint is disabled',
  'not-subscribed': 'the endpoint is not told of this any more',
  'too-late': 'it was too late',
}

function describeTries({ tries, nextTryAt, cancelled }: WebhookDelivery): string {
  const last = tries.at(-1)
  const parts = [
    tries.length > 1 && `${tries.length} tries`,
    last && `${last.failure ? failureLabels[last.failure] : `answered ${last.status}`} after ${last.latencyMs} ms`,
    cancelled && `not sent: ${cancelledLabels[cancelled]}`,
    nextTryAt && tries.length > 0 && `next try ${showDayTime(nextTryAt)}`,
  ]
  return parts.map((part) => (part ? ` · ${part}` : '')).join('')
}
