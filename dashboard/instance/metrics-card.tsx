import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { useData } from '../components/use-data.ts'
import { showClock } from '../format.ts'

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20).toLocaleString()} MiB`
const hours = (seconds: number): string =>
  seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`

/** What the machine uses, and what it wrote to its log in the last hour. */
export function MetricsCard() {
  const metrics = useData(berth.getInstanceMetrics)
  const logs = useData(berth.getInstanceLogs)
  const latest = metrics.data?.samples.at(-1)
  const lines = logs.data?.lines ?? []
  const reload = () => {
    metrics.reload()
    logs.reload()
  }
  return (
    <section className="card" aria-labelledby="usage-title">
      <div className="card-head">
        <h2 id="usage-title">Use and log</h2>
        <Button onClick={reload}>Reload</Button>
      </div>
      {latest ? (
        <dl className="facts-list columns">
          <Fact name="Processor">{Math.round(latest.cpuPercent)} %</Fact>
          <Fact name="Memory">
            {mebibytes(latest.memoryBytes)} of {mebibytes(latest.memoryLimitBytes)}
          </Fact>
          <Fact name="Disk">{mebibytes(latest.diskBytes)}</Fact>
          <Fact name="Up for">{hours(latest.uptimeSeconds)}</Fact>
        </dl>
      ) : (
        <p className="muted">The machine reports once a minute while it is awake.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="machine-log" tabIndex={0} aria-label="Log of the last hour">
        <pre>
          {lines.length === 0
            ? 'Nothing was written in the last hour.'
            : lines.map(({ at, message }) => `${showClock(at)} ${message}`).join('\n')}
        </pre>
      </section>
    </section>
  )
}
