import { type FormEvent, useState } from 'react'
import { eventTypes } from '../../domain/chat/event-types.ts'
import type { Subscription, WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  const incomplete = name.trim() === '' || url.trim() === '' || (!every && types.length === 0)
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label={words.name}
        id="endpoint-name"
        value={name}
        placeholder={words.namePlaceholder}
        autoComplete="off"
        maxLength={100}
        onText={setName}
      />
      <TextField
        label={words.address}
        id="endpoint-url"
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
        <fieldset className="scopes">
          <legend className="visually-hidden">{words.events}</legend>
          {eventTypes.map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={(event) =>
                  setTypes(event.target.checked ? [...types, type] : types.filter((other) => other !== type))
                }
              />
              <code>{type}</code>
            </label>
          ))}
        </fieldset>
      )}
      <p className="field-problem" role="alert">
        {add.problem}
      </p>
      <Button variant="primary" submit busy={add.busy} disabled={incomplete}>
        {words.add}
      </Button>
    </form>
  )
}
