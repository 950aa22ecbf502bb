import { Fact } from '../components/fact.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton } from './act-dialog.tsx'

export function RolloutSection() {
  const { data, problem, reload } = useRead('getRollout')
  if (!data) return <Loading problem={problem} retry={reload} />
  const { version, state, healthy, trying, failed } = data.rollout
  const action = state === 'rolling' ? 'pause' : 'resume'
  return (
    <section className="card" aria-label={words.sections.rollout}>
      <dl className="facts-list">
        <Fact name={words.rollout.version}>
          <code>{version}</code>
        </Fact>
        <Fact name={words.rollout.state}>{words.rollout.states[state]}</Fact>
        <Fact name={words.rollout.healthy}>{showCount(healthy)}</Fact>
        <Fact name={words.rollout.trying}>{trying.join(' ') || '0'}</Fact>
        <Fact name={words.rollout.failed}>{failed.join(' ') || '0'}</Fact>
      </dl>
      <div className="buttons">
        <ActButton
          label={words.rollout[action]}
          title={words.rollout.title(action, version)}
          variant={action === 'pause' ? 'danger' : 'primary'}
          upon="service"
          danger={action === 'pause'}
          act={(reason) => berth.changeRollout({ action, reason })}
        />
      </div>
    </section>
  )
}
