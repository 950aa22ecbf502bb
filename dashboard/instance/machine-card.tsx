import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { Notice } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'
import { offeredActions } from './offered-actions.ts'
import { TransitionProgress } from './transition-progress.tsx'

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
  const offered = offeredActions(instance.state)
  const gone = instance.state === 'deleted'
  const problem = pause.problem ?? resume.problem ?? refresh.problem
  const clearAll = () => {
    for (const action of [pause, resume, refresh]) action.clear()
  }
  const press = (action: typeof pause) => () => {
    clearAll()
    action.run()
  }
  const words = instanceTexts
  const { facts } = words
  const when = (at: string | null) => (at ? showDayTime(at) : words.notYet)
  return (
    <section className="card" aria-labelledby="machine-title">
      <div className="card-head">
        <h2 id="machine-title">{words.machine}</h2>
        <StatePill state={instance.state} />
      </div>
      <p className="lead" role="status">
        {instance.explanation}
      </p>
      <TransitionProgress instance={instance} />
      {problem && (
        <Notice tone="bad" onClose={clearAll}>
          {problem}
        </Notice>
      )}
      <div className="buttons">
        {offered.resume || !offered.pause ? (
          <Button variant="primary" disabled={!offered.resume && !gone} busy={resume.busy} onClick={press(resume)}>
            {gone ? words.makeNew : words.resume}
          </Button>
        ) : null}
        <Button disabled={!offered.pause} busy={pause.busy} onClick={press(pause)}>
          {words.pause}
        </Button>
        <Button disabled={!offered.refresh} busy={refresh.busy} onClick={press(refresh)}>
          {words.restart}
        </Button>
      </div>
      <p className="hint">{words.machineHint}</p>
      <dl className="facts-list columns">
        <Fact name={facts.generation}>{instance.generation}</Fact>
        <Fact name={facts.persona}>{instance.persona}</Fact>
        <Fact name={facts.image}>{instance.imageVersion.split('@')[0]}</Fact>
        <Fact name={facts.created}>{showDayTime(instance.createdAt)}</Fact>
        <Fact name={facts.started}>{when(instance.startedAt)}</Fact>
        <Fact name={facts.lastActive}>{when(instance.lastActivityAt)}</Fact>
        {instance.idleStopAt && <Fact name={facts.sleepsAt}>{showDayTime(instance.idleStopAt)}</Fact>}
        <Fact name={facts.id}>
          <code>{instance.id}</code>
        </Fact>
      </dl>
    </section>
  )
}
