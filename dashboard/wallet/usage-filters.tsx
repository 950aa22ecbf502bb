import { useId } from 'react'
import type { UsageReport } from '../../clients/typescript/operations.ts'
import { walletTexts } from '../texts/wallet.ts'
import { type Dimension, dimensions } from './names.ts'
import { ranges } from './usage-range.ts'
import type { UsageSearch } from './usage-search.ts'

interface FiltersProps {
  search: UsageSearch
  seen: UsageReport['seen'] | undefined
  nameOf: (of: Dimension, key: string) => string
  onNear: () => void
}

export function UsageFilters({ search, seen, nameOf, onNear }: FiltersProps) {
  const words = walletTexts.usage
  return (
    <div className="usage-filters">
      <Choice
        label={words.range}
        value={search.range}
        options={ranges.map((range) => [range, words.ranges[range]])}
        onChange={search.setRange}
      />
      {search.range === 'custom' && (
        <>
          <DayField label={words.from} value={search.days.from} onChange={search.setFrom} />
          <DayField label={words.to} value={search.days.to} onChange={search.setTo} />
        </>
      )}
      <Choice
        label={words.stackedBy}
        value={search.by}
        options={dimensions.map((of) => [of, words.by[of]])}
        onChange={search.setBy}
      />
      {dimensions.map((of) => (
        <Choice
          key={of}
          label={words.by[of]}
          value={search.filterOf(of)}
          options={[
            ['', words.all[of]],
            ...keysOf(of, search, seen).map((key): [string, string] => [key, nameOf(of, key)]),
          ]}
          onChange={(key) => search.setFilter(of, key)}
          onNear={onNear}
        />
      ))}
    </div>
  )
}

const keysOf = (of: Dimension, search: UsageSearch, seen: UsageReport['seen'] | undefined): string[] => {
  const chosen = search.filterOf(of)
  return [...new Set([...(seen?.[of] ?? []), ...(chosen === '' ? [] : [chosen])])]
}

interface ChoiceProps<T extends string> {
  label: string
  value: T
  options: readonly (readonly [value: T, label: string])[]
  onChange: (value: T) => void
  onNear?: () => void
}

function Choice<T extends string>({ label, value, options, onChange, onNear }: ChoiceProps<T>) {
  const id = useId()
  return (
    <div className="usage-choice">
      <label htmlFor={id}>{label}</label>
      <select
        data-reads
        id={id}
        value={value}
        onFocus={onNear}
        onPointerEnter={onNear}
        onChange={({ target }) => {
          const found = options.find(([option]) => option === target.value)
          if (found) onChange(found[0])
        }}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

function DayField({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  const id = useId()
  return (
    <div className="usage-choice">
      <label htmlFor={id}>{label}</label>
      <input
        data-reads
        id={id}
        type="date"
        min="1970-01-01"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
