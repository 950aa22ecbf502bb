import { useState } from 'react'
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { Route } from './route.tsx'

const words = webhookTexts.endpoints

interface NewSecret {
  endpoint: WebhookEndpoint
  secret: string
}

export function EndpointsCard() {
  const { data, setData } = useRead('listWebhookEndpoints')
  const endpoints = data?.endpoints ?? []
  const [fresh, setFresh] = useState<NewSecret | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  // A read right after the write may not contain it yet.
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
    if (what === 'enable')
      return replace((await berth.updateWebhookEndpoint({ id, enabled: disabled !== null })).endpoint)
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
      <h2 id="endpoints-title">{words.title}</h2>
      <Route from={words.from} to={words.to} />
      <p className="hint">
        {words.hint}
        {data && ` ${words.limit(data.deliveriesAnHour)}`}
      </p>
      {fresh && (
        <>
          <Notice tone="info">{webhookTexts.copyOnce(fresh.endpoint.name)}</Notice>
          <CopyLine label={words.secret} text={fresh.secret} />
          <p className="hint">{words.secretHint}</p>
          <Button onClick={() => setFresh(null)}>{webhookTexts.stored}</Button>
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
        data && <p className="muted">{words.empty}</p>
      )}
      <Problem text={change.problem} />
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
  return (
    <div className="row">
      <span className="row-name">
        {name}
        <br />
        <span className="muted">
          <code>{url}</code> · {events.includes('*') ? words.everyEvent : events.join(', ')}
          {stateOf(endpoint)}
        </span>
      </span>
      <Button of={name} onClick={onOpen}>
        {opened ? words.hide : words.deliveries}
      </Button>
      {disabled === null && (
        <Button of={name} busy={busy} onClick={() => onChange('test')}>
          {words.test}
        </Button>
      )}
      <Button of={name} busy={busy} onClick={() => onChange('enable')}>
        {disabled === null ? words.disable : words.enable}
      </Button>
      <Button of={name} busy={busy} onClick={() => onChange('rotate')}>
        {words.newSecret}
      </Button>
      <Button of={name} busy={busy} onClick={() => onChange('delete')}>
        {words.remove}
      </Button>
    </div>
  )
}

function stateOf({ disabled, failingSince, missedAt, oldSecretUntil }: WebhookEndpoint): string {
  const parts = [
    disabled !== null && words.disabled[disabled],
    disabled === null && failingSince && words.failingSince(showDayTime(failingSince)),
    missedAt && words.hourFull(showDayTime(missedAt)),
    oldSecretUntil && Date.parse(oldSecretUntil) > Date.now() && words.oldSecretUntil(showDayTime(oldSecretUntil)),
  ]
  return parts.map((part) => (part ? ` · ${part}` : '')).join('')
}
