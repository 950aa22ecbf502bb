import { useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { ActionForm } from '../components/form.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { instanceTexts } from '../texts/instance.ts'

const words = instanceTexts.runtime

type Runtime = Awaited<ReturnType<typeof berth.listRuntimes>>['runtimes'][number]

/** Hidden where there is only one runtime. */
export function RuntimeCard({ instance }: { instance: Instance }) {
  const { setInstance } = useAccount()
  const { data } = useRead('listRuntimes')
  const [picked, setPicked] = useState<string | null>(null)
  const save = useAction(async (runtime: string) => {
    setInstance((await berth.setInstanceRuntime({ runtime })).instance)
    setPicked(null)
  })
  const runtimes = data?.runtimes ?? []
  if (runtimes.length < 2) return null
  const value = picked ?? instance.runtime
  const known = runtimes.find(({ name }) => name === value)
  const offered = runtimes.map(({ name, title }): [string, string] => [name, title])
  const isGone = !runtimes.some(({ name }) => name === instance.runtime)
  return (
    <section className="card" aria-labelledby="runtime-title">
      <h2 id="runtime-title">{words.title}</h2>
      <ActionForm
        action={save}
        button={words.use}
        variant="plain"
        disabled={value === instance.runtime}
        onSubmit={() => save.run(value)}
      >
        <ChoiceField
          label={words.label}
          value={value}
          options={isGone ? [[instance.runtime, words.gone(instance.runtime)], ...offered] : offered}
          onChoice={(name) => {
            setPicked(name)
            save.clear()
          }}
        />
        <p className="hint" role="status">
          {known && about(known)} {words.change}
        </p>
      </ActionForm>
    </section>
  )
}

function about({ version, licence, memoryMiB, supports }: Runtime): string {
  const growth = supports.text === 'words' ? words.growth.words : words.growth.messages
  const release = version === null ? '' : `${words.release(version, licence)} `
  return `${release}${growth} ${words.needs(memoryMiB)}`
}
