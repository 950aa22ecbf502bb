import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { Notice } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'
import { offeredActions } from '../labels.ts'

export function MachineCard({ instance }: { instance: Instance }) {
  const { setInstance, reload } = useAccount()
  const update = (request: () => Promise<{ instance: Instance }>) => async () => {
    try {
      setInstance((await request()).instance)
    } finally {
      reload()
    }
  }
  const pause = useAction(update(berth.pauseInstance))
  const resume = useAction(update(berth.resumeInstance))
  const refresh = useAction(update(berth.refreshInstance))
  const offered = offeredActions[instance.state] ?? offeredActions.deleted
  const gone = instance.state === 'deleted'
  const problem = pause.problem ?? resume.problem ?? refresh.problem
  const clearAll = () => {
    for (const action of [pause, resume, refresh]) action.clear()
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
          <Button variant="primary" disabled={!offered.resume && !gone} busy={resume.busy} onClick={press(resume)}>
            {gone ? 'Make a new one' : 'Resume'}
          </Button>
        ) : null}
        <Button disabled={!offered.pause} busy={pause.busy} onClick={press(pause)}>
          Pause
        </Button>
        <Button disabled={!offered.refresh} busy={refresh.busy} onClick={press(refresh)}>
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
