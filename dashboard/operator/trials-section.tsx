import { useState } from 'react'
import { refresh, useRead } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { Loading } from '../components/notice.tsx'
import { showBalance, showCount } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActDialog } from './act-dialog.tsx'

export function TrialsSection() {
  const { data, problem, reload } = useRead('getTrials')
  const [asking, setAsking] = useState(false)
  if (!data) return <Loading problem={problem} retry={reload} />
  if (!data.trials) return <p className="muted">{words.trials.none}</p>
  const { begun, givenMicros, budgetMicros, creditMicros, hours, perNetwork, perDomain, stopped, open } = data.trials
  const action = stopped === null ? 'stop' : 'resume'
  return (
    <section className="card" aria-label={words.sections.trials}>
      <dl className="facts-list">
        <Fact name={words.trials.state}>
          {stopped === null ? words.trials[open ? 'open' : 'usedUp'] : words.trials.stopped(stopped)}
        </Fact>
        <Fact name={words.trials.today}>{showCount(begun)}</Fact>
        <Fact name={words.trials.given}>{words.trials.of(showBalance(givenMicros), showBalance(budgetMicros))}</Fact>
        <Fact name={words.trials.each}>{words.trials.eachIs(showBalance(creditMicros), showCount(hours))}</Fact>
        <Fact name={words.trials.limits}>{words.trials.limitsAre(showCount(perNetwork), showCount(perDomain))}</Fact>
      </dl>
      <div className="buttons">
        <Button variant={action === 'stop' ? 'danger' : 'primary'} onClick={() => setAsking(true)}>
          {words.trials[action]}
        </Button>
      </div>
      {asking && (
        <ActDialog
          title={words.trials[action]}
          upon="service"
          danger={action === 'stop'}
          act={(reason) => berth.changeTrials({ action, reason })}
          onClose={(done) => {
            setAsking(false)
            if (done) refresh('getTrials')
          }}
        />
      )}
    </section>
  )
}
