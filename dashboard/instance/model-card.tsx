import { type FormEvent, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { Instance } from '../../domain/instance/instance.ts'
import type { Model } from '../../domain/models/model.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showCount } from '../format.ts'

export function ModelCard({ instance }: { instance: Instance }) {
  const { setInstance } = useAccount()
  const { data, problem, reload } = useData(berth.listModels)
  const models = data?.models.filter(({ formats }) => !formats.includes('openai-embeddings'))
  const [picked, setPicked] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)

  const save = useAction(async (id: string) => {
    setInstance((await berth.setInstanceModel({ model: id })).instance)
    setPicked(null)
    setSaved(true)
  })
  const value = picked ?? instance.model
  const known = models?.find(({ id }) => id === value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (picked && picked !== instance.model) save.run(picked)
  }
  return (
    <section className="card" aria-labelledby="model-title">
      <h2 id="model-title">Model</h2>
      {!models ? (
        <Loading problem={problem} retry={reload} />
      ) : (
        <form onSubmit={submit}>
          <div className="field">
            <label htmlFor="model">The model your agent thinks with</label>
            <select
              id="model"
              value={value}
              onChange={(event) => {
                setPicked(event.target.value)
                setSaved(false)
                save.clear()
              }}
            >
              <option value="default">Default</option>
              {instance.model !== 'default' && !models.some(({ id }) => id === instance.model) && (
                <option value={instance.model}>{instance.model} (no longer offered)</option>
              )}
              {models.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          </div>
          <p className="hint" role="status">
            {saved
              ? 'Saved. The agent’s next call uses it.'
              : known
                ? price(known)
                : 'Berth picks a good model for you.'}
          </p>
          <p className="field-problem" role="alert">
            {save.problem}
          </p>
          <Button submit busy={save.busy} disabled={!picked || picked === instance.model}>
            Use this model
          </Button>
        </form>
      )}
    </section>
  )
}

function price({ prices, contextTokens }: Model): string {
  const context = contextTokens === null ? '' : ` Reads up to ${showCount(contextTokens)} tokens.`
  return `${formatMicros(prices.input)} per million tokens read, ${formatMicros(prices.output)} written.${context}`
}
