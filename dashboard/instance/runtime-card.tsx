import { type FormEvent, useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { useRead } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (picked && picked !== instance.runtime) save.run(picked)
  }
  return (
    <section className="card" aria-labelledby="runtime-title">
      <h2 id="runtime-title">{words.title}</h2>
      <form onSubmit={submit}>
        <div className="field">
          <label htmlFor="runtime">{words.label}</label>
          <select
            id="runtime"
            value={value}
            onChange={(event) => {
              setPicked(event.target.value)
              save.clear()
            }}
          >
            {!runtimes.some(({ name }) => name === instance.runtime) && (
              <option value={instance.runtime}>{words.gone(instance.runtime)}</option>
            )}
            {runtimes.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <p className="hint" role="status">
          {known && about(known)} {words.change}
        </p>
        <p className="field-problem" role="alert">
          {save.problem}
        </p>
        <Button submit busy={save.busy} disabled={!picked || picked === instance.runtime}>
          {words.use}
        </Button>
      </form>
    </section>
  )
}

function about({ version, licence, memoryMiB, supports }: Runtime): string {
  const growth = supports.text === 'words' ? words.growth.words : words.growth.messages
  const release = version === null ? '' : `${words.release(version, licence)} `
  return `${release}${growth} ${words.needs(memoryMiB)}`
}
