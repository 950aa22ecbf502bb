import { type ReactNode, useCallback, useEffect, useState } from 'react'
import type { LogLine } from '../../domain/instance/logs.ts'
import type { Sample } from '../../domain/instance/metrics.ts'
import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { showClock } from '../words.ts'

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20).toLocaleString()} MiB`
const hours = (seconds: number): string =>
  seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`

/** What the machine uses, and what it wrote to its log in the last hour. */
export function UsageCard() {
  const [latest, setLatest] = useState<Sample | null>(null)
  const [lines, setLines] = useState<LogLine[]>([])
  const load = useCallback(() => {
    api.metrics().then(
      ({ samples }) => setLatest(samples.at(-1) ?? null),
      () => {},
    )
    api.logs().then(
      (found) => setLines(found.lines),
      () => {},
    )
  }, [])
  useEffect(load, [load])
  return (
    <section className="card" aria-labelledby="usage-title">
      <div className="card-head">
        <h2 id="usage-title">Use and log</h2>
        <Button onPress={load}>Reload</Button>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
