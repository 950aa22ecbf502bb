interface SparklineProps {
  /** Oldest first. */
  values: readonly number[]
  /** The value at the top of the chart; default: the greatest value. */
  most?: number | undefined
  label: string
}

const [width, height] = [120, 32]

export function Sparkline({ values, most = Math.max(...values), label }: SparklineProps) {
  const step = width / Math.max(values.length - 1, 1)
  const top = Math.max(most, Number.EPSILON)
  const points = values.map((value, index) => {
    const share = Math.min(Math.max(value / top, 0), 1)
    return `${(index * step).toFixed(1)},${(height - share * (height - 2) - 1).toFixed(1)}`
  })
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
