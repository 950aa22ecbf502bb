import { type FormEvent, useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'

const read = () => berth.listRuntimes()
type Runtime = Awaited<ReturnType<typeof read>>['runtimes'][number]

/** Which program is the agent; nothing where there is only one. */
export function RuntimeCard({ instance }: { instance: Instance }) {
  const { setInstance } = useAccount()
  const { data } = useData(read)
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
      <h2 id="runtime-title">Program</h2>
      <form onSubmit={submit}>
        <div className="field">
          <label htmlFor="runtime">The program that is your agent</label>
          <select
            id="runtime"
            value={value}
            onChange={(event) => {
              setPicked(event.target.value)
              save.clear()
            }}
          >
            {!runtimes.some(({ name }) => name === instance.runtime) && (
              <option value={instance.runtime}>{instance.runtime} (no longer offered)</option>
            )}
            {runtimes.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <p className="hint" role="status">
          {known && about(known)} Changing it takes a restore point and restarts the machine; files and messages stay.
        </p>
        <p className="field-problem" role="alert">
          {save.problem}
        </p>
        <Button submit busy={save.busy} disabled={!picked || picked === instance.runtime}>
          Use this program
        </Button>
      </form>
    </section>
  )
}

function about({ version, licence, memoryMiB, supports }: Runtime): string {
  const growth = supports.text === 'words' ? 'Replies appear word by word.' : 'Replies appear message by message.'
  const release = version === null ? '' : `Version ${version}, ${licence}. `
  return `${release}${growth} Needs ${memoryMiB} MiB of memory.`
}
