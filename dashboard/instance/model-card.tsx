import { useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { Instance } from '../../domain/instance/instance.ts'
import type { Model } from '../../domain/models/model.ts'
import { useAccount } from '../account-state.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { ActionForm } from '../components/form.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
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
  return (
    <section className="card" aria-labelledby="model-title">
      <h2 id="model-title">{words.title}</h2>
      {!models ? (
        <Loading problem={problem} retry={reload} />
      ) : (
        <ActionForm
          action={save}
          button={words.use}
          variant="plain"
          disabled={value === instance.model}
          onSubmit={() => save.run(value)}
        >
          <ChoiceField
            label={words.label}
            value={value}
            options={optionsOf(models, instance.model)}
            onChoice={(id) => {
              setPicked(id)
              setSaved(false)
              save.clear()
            }}
          />
          <p className="hint" role="status">
            {saved ? words.saved : known ? price(known) : words.picked}
          </p>
        </ActionForm>
      )}
    </section>
  )
}

function optionsOf(models: Model[], current: string): [id: string, name: string][] {
  const isGone = current !== 'default' && !models.some(({ id }) => id === current)
  return [
    ['default', words.default],
    ...(isGone ? [[current, words.gone(current)] as [string, string]] : []),
    ...models.map(({ id }): [string, string] => [id, id]),
  ]
}

function price({ prices, contextTokens }: Model): string {
  const each = words.price(formatMicros(prices.input), formatMicros(prices.output))
  return contextTokens === null ? each : `${each} ${words.context(showCount(contextTokens))}`
}
