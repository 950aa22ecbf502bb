import { Fact } from '../components/fact.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showBalance, showCount } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton } from './act-dialog.tsx'

export function TrialsSection() {
  const { data, problem, reload } = useRead('getTrials')
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
        <ActButton
          label={words.trials[action]}
          title={words.trials[action]}
          variant={action === 'stop' ? 'danger' : 'primary'}
          upon="service"
          danger={action === 'stop'}
          act={(reason) => berth.changeTrials({ action, reason })}
        />
      </div>
    </section>
  )
}
