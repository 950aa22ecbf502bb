import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ActionForm } from '../components/form.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { useUndoable } from '../components/use-undoable.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'

const words = instanceTexts.variables

/** Values can be set and replaced, and are never shown. */
export function VariablesCard() {
  const { data, setData, problem, reload } = useRead('getInstanceEnv')
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const change = async (variables: Record<string, string | null>) => setData(await berth.setInstanceEnv({ variables }))
  const remove = useAction((removed: string) => change({ [removed]: null }))
  const removal = useUndoable<string>(remove.run)
  const save = useAction(async () => {
    // Waiting removals are saved too, except of this name.
    await change({ ...(removal.waiting !== null && { [removal.waiting]: null }), [name.trim()]: value })
    removal.undo()
    setName('')
    setValue('')
  })
  const variables = data?.variables.filter((variable) => variable.name !== removal.waiting)
  const replaced = variables?.find((variable) => variable.name === name.trim())
  return (
    <section className="card" aria-labelledby="variables-title">
      <h2 id="variables-title">{words.title}</h2>
      <p className="hint">{words.hint}</p>
      {removal.waiting !== null && (
        <Notice tone="info" action={{ label: words.undo, run: removal.undo }}>
          {words.removed(removal.waiting)}
        </Notice>
      )}
      {!variables && <Loading problem={problem} retry={reload} />}
      {variables?.length === 0 && <p className="muted">{words.empty}</p>}
      {variables && variables.length > 0 && (
        <ul className="rows">
          {variables.map((variable) => (
            <li key={variable.name} className="row">
              <span className="row-name">
                <code>{variable.name}</code>
              </span>
              <span className="muted">{words.setAt(showDayTime(variable.updatedAt))}</span>
              <Button of={variable.name} busy={remove.busy} onClick={() => removal.ask(variable.name)}>
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ActionForm
        action={{ busy: save.busy, problem: save.problem ?? remove.problem }}
        button={words.save}
        disabled={name.trim() === ''}
        onSubmit={save.run}
      >
        <TextField
          label={words.name}
          value={name}
          placeholder="GITHUB_TOKEN"
          autoComplete="off"
          maxLength={64}
          onText={setName}
        />
        <TextField label={words.value} type="password" value={value} autoComplete="new-password" onText={setValue} />
        {replaced && <p className="hint">{words.replaces(replaced.name, showDayTime(replaced.updatedAt))}</p>}
      </ActionForm>
    </section>
  )
}
