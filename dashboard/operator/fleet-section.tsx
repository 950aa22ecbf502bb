import type { FleetMachine } from '../../clients/typescript/operations.ts'
import type { ShownState } from '../../domain/instance/instance.ts'
import { Fact } from '../components/fact.tsx'
import { Loading } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { useRead } from '../data/cache.ts'
import { showCount, showDayTime } from '../format.ts'
import { stateLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { operatorTexts as words } from '../texts/operator.ts'

export function FleetSection() {
  const { data, problem, reload } = useRead('getFleet')
  if (!data) return <Loading problem={problem} retry={reload} />
  // safe because the service counts by its own states
  const counts = Object.entries(data.counts) as [ShownState, number][]
  return (
    <>
      <section className="card" aria-labelledby="counts-title">
        <h2 id="counts-title">{words.fleet.counts}</h2>
        <dl className="facts-list">
          {counts.map(([state, count]) => (
            <Fact key={state} name={stateLabel(state).label}>
              {showCount(count)}
            </Fact>
          ))}
        </dl>
        <p className="muted">
          {words.fleet.sleeping} {!data.complete && words.fleet.incomplete}
        </p>
      </section>
      <MachineList id="stuck" title={words.fleet.stuck} machines={data.stuck} />
      <MachineList id="failed" title={words.fleet.failed} machines={data.failed} />
    </>
  )
}

const MachineList = ({ id, title, machines }: { id: string; title: string; machines: FleetMachine[] }) => (
  <section aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {machines.length === 0 && <p className="muted">{words.fleet.none}</p>}
    {machines.length > 0 && (
      <ul className="card rows">
        {machines.map((machine) => (
          <li key={machine.user} className="row">
            <div className="row-text">
              <p className="row-name">
                <StatePill state={machine.state} />{' '}
                <Link to={`/operator?query=${encodeURIComponent(machine.user)}`}>{machine.user}</Link>
              </p>
              <p className="muted">
                {machine.why}
                {machine.failure && ` · ${machine.failure}`}
                {machine.failedStarts > 0 && ` · ${words.fleet.starts(machine.failedStarts)}`}
                {machine.crashes > 0 && ` · ${words.fleet.crashes(machine.crashes)}`}
                {machine.since && ` · ${words.fleet.since(showDayTime(machine.since))}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    )}
  </section>
)
