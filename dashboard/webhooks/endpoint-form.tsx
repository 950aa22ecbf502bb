import { useState } from 'react'
import { eventTypes } from '../../domain/chat/event-types.ts'
import type { Subscription, WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { CheckList } from '../components/check-list.tsx'
import { ActionForm } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { webhookTexts } from '../texts/webhooks.ts'

const words = webhookTexts.endpoints

export function EndpointForm({ onAdded }: { onAdded(made: { endpoint: WebhookEndpoint; secret: string }): void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [every, setEvery] = useState(true)
  const [types, setTypes] = useState<Subscription[]>([])
  const add = useAction(async () => {
    onAdded(await berth.createWebhookEndpoint({ name: name.trim(), url: url.trim(), events: every ? ['*'] : types }))
    setName('')
    setUrl('')
  })
  const incomplete = name.trim() === '' || url.trim() === '' || (!every && types.length === 0)
  return (
    <ActionForm action={add} button={words.add} disabled={incomplete} onSubmit={add.run}>
      <TextField
        label={words.name}
        value={name}
        placeholder={words.namePlaceholder}
        autoComplete="off"
        maxLength={100}
        onText={setName}
      />
      <TextField
        label={words.address}
        type="url"
        value={url}
        placeholder="https://example.com/berth"
        autoComplete="off"
        maxLength={2000}
        onText={setUrl}
      />
      <label className="switch">
        <input type="checkbox" checked={every} onChange={(event) => setEvery(event.target.checked)} />
        <span>{words.toldOfEvery}</span>
      </label>
      {!every && (
        <CheckList<Subscription>
          legend={<span className="visually-hidden">{words.events}</span>}
          options={eventTypes}
          labelOf={(type) => <code>{type}</code>}
          chosen={types}
          onChange={setTypes}
        />
      )}
    </ActionForm>
  )
}
