import type { Instance } from '../../domain/instance/instance.ts'
import type { Sample } from '../../domain/instance/metrics.ts'
import { Loading } from '../components/notice.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { useRead } from '../data/cache.ts'
import { showClock, showCount, showDayTime, showDuration } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'

/** A machine measures itself once a minute. */
const reportedMs = 60_000

const words = instanceTexts.use
const showMebibytes = (bytes: number): string => `${showCount(Math.round(bytes / 2 ** 20))} MiB`
const showPercent = (percent: number): string => `${showCount(Math.round(percent))} %`

export function MetricsCard({ instance }: { instance: Instance }) {
  const { data, problem, reload } = useRead('getInstanceMetrics')
  useRepeated(reload, instance.state === 'running' ? reportedMs : null)
  const latest = data?.samples.at(-1)
  return (
    <section className="card" aria-labelledby="use-title">
      <h2 id="use-title">{words.title}</h2>
      {!data && <Loading problem={problem} retry={reload} />}
      {data && instance.state !== 'running' && instance.lastActivityAt && (
        <p className="muted">{words.lastSeen(showDayTime(latest?.at ?? instance.lastActivityAt))}</p>
      )}
      {data && !latest && <p className="muted">{words.none}</p>}
      {latest && <Charts samples={data?.samples ?? []} latest={latest} />}
    </section>
  )
}

function Charts({ samples, latest }: { samples: readonly Sample[]; latest: Sample }) {
  const charts = [
    { name: words.processor, of: (sample: Sample) => sample.cpuPercent, show: showPercent, most: 100 },
    {
      name: words.memory,
      of: (sample: Sample) => sample.memoryBytes,
      show: showMebibytes,
      most: latest.memoryLimitBytes,
      now: words.of(showMebibytes(latest.memoryBytes), showMebibytes(latest.memoryLimitBytes)),
    },
    { name: words.disk, of: (sample: Sample) => sample.diskBytes, show: showMebibytes },
  ]
  return (
    <>
      <ul className="charts">
        {charts.map(({ name, of, show, most, now = show(of(latest)) }) => {
          const values = samples.map(of)
          const label = words.chart(name, show(Math.min(...values)), show(Math.max(...values)), show(of(latest)))
          return (
            <li key={name}>
              <span className="muted">{name}</span>
              <Sparkline values={values} most={most} label={label} />
              <span>{now}</span>
            </li>
          )
        })}
        <li>
          <span className="muted">{words.upFor}</span>
          <span className="chart-fact">{showDuration(latest.uptimeSeconds)}</span>
        </li>
      </ul>
      <p className="hint">{words.asOf(showClock(latest.at))}</p>
    </>
  )
}
