import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import { ChartAxis } from '../chart/chart.tsx'
import { Money } from '../components/money.tsx'
import { showCount, showUtcDay } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'
import { type Bin, topOf } from './usage-range.ts'

/** A part of the bars; its index decides order and colour. */
export interface ChartPart {
  key: string
  name: string
}

/** Bars of days or weeks, stacked by part. The pointer or the arrow keys select one. */
export function UsageChart({ bins, parts }: { bins: readonly Bin[]; parts: readonly ChartPart[] }) {
  const words = walletTexts.usage
  const [chosen, setChosen] = useState<number | null>(null)
  const at = Math.min(chosen ?? bins.length - 1, bins.length - 1)
  const top = topOf(bins)
  const bin = bins[at]
  if (!bin) return null

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bins.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(next, bins.length - 1)))
  }
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(Math.max(0, Math.min(Math.floor(((clientX - left) / width) * bins.length), bins.length - 1)))
  }
  return (
    <figure className="usage-figure">
      <div className="usage-top muted" aria-hidden="true">
        {formatMicros(top)}
      </div>
      <div
        className="usage-plot"
        role="slider"
        tabIndex={0}
        aria-label={words.chart}
        aria-valuemin={1}
        aria-valuemax={bins.length}
        aria-valuenow={at + 1}
        aria-valuetext={inWords(bin, parts)}
        aria-describedby="usage-hint"
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerDown={onPointerMove}
      >
        <svg viewBox={`0 0 ${bins.length} 100`} preserveAspectRatio="none" aria-hidden="true">
          {bins.map((bin, i) => (
            <Bar key={bin.from} bin={bin} x={i} top={top} parts={parts} isChosen={i === at} />
          ))}
        </svg>
      </div>
      <ChartAxis>
        <span>{showUtcDay(bins[0]?.from ?? '')}</span>
        <span>{showUtcDay(bins.at(-1)?.to ?? '')}</span>
      </ChartAxis>
      <figcaption className="usage-day">
        <strong>{nameOf(bin)}</strong> <Money micros={bin.amountMicros} />{' '}
        <span className="muted">{words.callsOf(showCount(bin.calls))}</span>
        <span id="usage-hint" className="visually-hidden">
          {words.chartHint}
        </span>
      </figcaption>
    </figure>
  )
}

interface BarProps {
  bin: Bin
  x: number
  top: number
  parts: readonly ChartPart[]
  isChosen: boolean
}

function Bar({ bin, x, top, parts, isChosen }: BarProps) {
  let below = 0
  return (
    <g>
      <rect className={isChosen ? 'usage-ground chosen' : 'usage-ground'} x={x} y={0} width={1} height={100} />
      {parts.map(({ key }, i) => {
        const height = (100 * (bin.parts.get(key)?.amountMicros ?? 0)) / top
        below += height
        return (
          height > 0 && (
            <rect key={key} className={`part-${i}`} x={x + 0.1} y={100 - below} width={0.8} height={height} />
          )
        )
      })}
    </g>
  )
}

export const nameOf = ({ from, to }: Bin): string =>
  from === to ? showUtcDay(from) : walletTexts.usage.weekOf(showUtcDay(from))

/** The total of each part: `Messages $0.30, Schedules $0.10`. */
export const partsInWords = (bin: Bin, parts: readonly ChartPart[]): string =>
  parts
    .flatMap(({ key, name }) => {
      const micros = bin.parts.get(key)?.amountMicros
      return micros ? [`${name} ${formatMicros(micros)}`] : []
    })
    .join(', ')

const inWords = (bin: Bin, parts: readonly ChartPart[]): string =>
  `${nameOf(bin)}: ${formatMicros(bin.amountMicros)}${bin.calls > 0 ? `: ${partsInWords(bin, parts)}` : ''}`
