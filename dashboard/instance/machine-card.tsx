import type { ReactNode } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useLive } from '../account.tsx'
import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { StatePill } from '../parts/state-pill.tsx'
import { useAction } from '../parts/use-action.ts'
import { offers, showDayTime } from '../words.ts'

export function MachineCard({ instance }: { instance: Instance }) {
  const { setInstance, reload } = useLive()
  const work = (ask: () => Promise<{ instance: Instance }>) => async () => {
    try {
      setInstance((await ask()).instance)
    } finally {
      reload()
    }
  }
  const pause = useAction(work(api.pause))
  const resume = useAction(work(api.resume))
  const refresh = useAction(work(api.refresh))
  const offered = offers[instance.state]
  const gone = instance.state === 'deleted'
  const problem = pause.problem ?? resume.problem ?? refresh.problem
  const clearAll = () => {
    for (const one of [pause, resume, refresh]) one.clear()
  }
  const press = (action: typeof pause) => () => {
    clearAll()
    action.run()
  }
  return (
    <section className="card" aria-labelledby="machine-title">
      <div className="card-head">
        <h2 id="machine-title">Machine</h2>
        <StatePill state={instance.state} />
      </div>
      <p className="lead" role="status">
        {instance.explanation}
      </p>
      {problem && (
        <Notice tone="bad" onClose={clearAll}>
          {problem}
        </Notice>
      )}
      <div className="buttons">
        {offered.resume || !offered.pause ? (
          <Button look="primary" disabled={!offered.resume && !gone} busy={resume.busy} onPress={press(resume)}>
            {gone ? 'Make a new one' : 'Resume'}
          </Button>
        ) : null}
        <Button disabled={!offered.pause} busy={pause.busy} onPress={press(pause)}>
          Pause
        </Button>
        <Button disabled={!offered.refresh} busy={refresh.busy} onPress={press(refresh)}>
          Refresh
        </Button>
      </div>
      <p className="hint">
        Pausing stops the machine and keeps its files. Refreshing restarts the agent with fresh tokens and settings.
      </p>
      <dl className="facts-list columns">
        <Fact name="Generation">{instance.generation}</Fact>
        <Fact name="Persona">{instance.persona}</Fact>
        <Fact name="Image">{instance.imageVersion}</Fact>
        <Fact name="Created">{showDayTime(instance.createdAt)}</Fact>
        <Fact name="Started">{instance.startedAt ? showDayTime(instance.startedAt) : 'not yet'}</Fact>
        <Fact name="Last active">{instance.lastActivityAt ? showDayTime(instance.lastActivityAt) : 'not yet'}</Fact>
        {instance.idleStopAt && <Fact name="Sleeps when idle at">{showDayTime(instance.idleStopAt)}</Fact>}
        <Fact name="Id">
          <code>{instance.id}</code>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
