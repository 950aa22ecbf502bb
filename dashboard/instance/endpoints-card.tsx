import { useState } from 'react'
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointForm } from './endpoint-form.tsx'

interface NewSecret {
  endpoint: WebhookEndpoint
  secret: string
}

/** Addresses that are told of events, what was sent to them, and their secrets while they are new. */
export function EndpointsCard() {
  const { data, setData } = useData(berth.listWebhookEndpoints)
  const endpoints = data?.endpoints ?? []
  const [fresh, setFresh] = useState<NewSecret | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  // What is read anew may not have what was just written yet.
  const keep = (change: (endpoints: WebhookEndpoint[]) => WebhookEndpoint[]) => {
    if (data) setData({ ...data, endpoints: change(data.endpoints) })
  }
  const replace = (next: WebhookEndpoint) => keep((all) => all.map((each) => (each.id === next.id ? next : each)))
  const change = useAction(async ({ id, disabled }: WebhookEndpoint, what: 'delete' | 'rotate' | 'test' | 'enable') => {
    if (what === 'rotate') {
      const made = await berth.rotateWebhookSecret({ id })
      setFresh(made)
      return replace(made.endpoint)
    }
    if (what === 'test') {
      await berth.testWebhookEndpoint({ id })
      return setOpened(id)
    }
    if (what === 'enable') {
      return replace((await berth.updateWebhookEndpoint({ id, enabled: disabled !== null })).endpoint)
    }
    await berth.deleteWebhookEndpoint({ id })
    setFresh((shown) => (shown?.endpoint.id === id ? null : shown))
    keep((all) => all.filter((each) => each.id !== id))
  })
  const added = (made: NewSecret) => {
    setFresh(made)
    keep((all) => [...all, made.endpoint])
  }
  return (
    <section className="card" aria-labelledby="endpoints-title">
      <h2 id="endpoints-title">Webhook endpoints</h2>
      <p className="hint">
        Your own program is told what happens here, by a signed POST to its address. What it does not take is sent again
        for a day.
        {data && ` An address gets ${data.deliveriesAnHour} deliveries an hour.`}
      </p>
      {fresh && (
        <>
          <Notice tone="info">Copy the secret of “{fresh.endpoint.name}” now. It is shown this once.</Notice>
          <CopyLine label="Endpoint secret" text={fresh.secret} />
          <p className="hint">Any library of Standard Webhooks checks with it that what comes is from here.</p>
          <Button onClick={() => setFresh(null)}>I have stored it</Button>
        </>
      )}
      {endpoints.length > 0 ? (
        <ul className="rows">
          {endpoints.map((endpoint) => (
            <li key={endpoint.id}>
              <EndpointRow
                endpoint={endpoint}
                busy={change.busy}
                opened={opened === endpoint.id}
                onOpen={() => setOpened(opened === endpoint.id ? null : endpoint.id)}
                onChange={(what) => change.run(endpoint, what)}
              />
              {opened === endpoint.id && <DeliveryList endpoint={endpoint} />}
            </li>
          ))}
        </ul>
      ) : (
        data && <p className="muted">No endpoint yet. A program of yours can be told when the agent answers.</p>
      )}
      <p className="field-problem" role="alert">
        {change.problem}
      </p>
      <EndpointForm onAdded={added} />
    </section>
  )
}

interface RowProps {
  endpoint: WebhookEndpoint
  busy: boolean
  opened: boolean
  onOpen(): void
  onChange(what: 'delete' | 'rotate' | 'test' | 'enable'): void
}

function EndpointRow({ endpoint, busy, opened, onOpen, onChange }: RowProps) {
  const { name, url, events, disabled } = endpoint
  const of = <span className="visually-hidden"> {name}</span>
  return (
    <div className="row">
      <span className="row-name">
        {name}
        <br />
        <span className="muted">
          <code>{url}</code> · {events.includes('*') ? 'every event' : events.join(', ')}
          {stateOf(endpoint)}
        </span>
      </span>
      <Button onClick={onOpen}>
        {opened ? 'Hide' : 'Deliveries'}
        {of}
      </Button>
      {disabled === null && (
        <Button busy={busy} onClick={() => onChange('test')}>
          Test{of}
        </Button>
      )}
      <Button busy={busy} onClick={() => onChange('enable')}>
        {disabled === null ? 'Disable' : 'Enable'}
        {of}
      </Button>
      <Button busy={busy} onClick={() => onChange('rotate')}>
        New secret{of}
      </Button>
      <Button busy={busy} onClick={() => onChange('delete')}>
        Delete{of}
      </Button>
    </div>
  )
}

const disabledLabels: Record<NonNullable<WebhookEndpoint['disabled']>, string> = {
  failing: 'disabled, it failed for three days',
  gone: 'disabled, it answered that it is gone',
  owner: 'disabled',
}

function stateOf({ disabled, failingSince, missedAt, oldSecretUntil }: WebhookEndpoint): string {
  const parts = [
    disabled !== null && disabledLabels[disabled],
    disabled === null && failingSince && `failing since ${showDayTime(failingSince)}`,
    missedAt && `its hour was full ${showDayTime(missedAt)}`,
    oldSecretUntil && Date.parse(oldSecretUntil) > Date.now() && `old secret until ${showDayTime(oldSecretUntil)}`,
  ]
  return parts.map((part) => (part ? ` · ${part}` : '')).join('')
}
