import { type FormEvent, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { Instance } from '../../domain/instance/instance.ts'
import type { Model } from '../../domain/models/model.ts'
import { useAccount } from '../account-state.tsx'
import { useRead } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showCount } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'

const words = instanceTexts.model

export function ModelCard({ instance }: { instance: Instance }) {
  const { setInstance } = useAccount()
  const { data, problem, reload } = useRead('listModels')
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
      <h2 id="model-title">{words.title}</h2>
      {!models ? (
        <Loading problem={problem} retry={reload} />
      ) : (
        <form onSubmit={submit}>
          <div className="field">
            <label htmlFor="model">{words.label}</label>
            <select
              id="model"
              value={value}
              onChange={(event) => {
                setPicked(event.target.value)
                setSaved(false)
                save.clear()
              }}
            >
              <option value="default">{words.default}</option>
              {instance.model !== 'default' && !models.some(({ id }) => id === instance.model) && (
                <option value={instance.model}>{words.gone(instance.model)}</option>
              )}
              {models.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          </div>
          <p className="hint" role="status">
            {saved ? words.saved : known ? price(known) : words.picked}
          </p>
          <p className="field-problem" role="alert">
            {save.problem}
          </p>
          <Button submit busy={save.busy} disabled={!picked || picked === instance.model}>
            {words.use}
          </Button>
        </form>
      )}
    </section>
  )
}

function price({ prices, contextTokens }: Model): string {
  const each = words.price(formatMicros(prices.input), formatMicros(prices.output))
  return contextTokens === null ? each : `${each} ${words.context(showCount(contextTokens))}`
}
