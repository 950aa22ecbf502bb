import { useId } from 'react'
import type { UsageReport } from '../../clients/typescript/operations.ts'
import { ChoiceField, type ChoiceFieldProps } from '../components/choice-field.tsx'
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
        onChoice={search.setRange}
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
        onChoice={search.setBy}
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
          onChoice={(key) => search.setFilter(of, key)}
          onFocus={onNear}
          onPointerEnter={onNear}
        />
      ))}
    </div>
  )
}

const keysOf = (of: Dimension, search: UsageSearch, seen: UsageReport['seen'] | undefined): string[] => {
  const chosen = search.filterOf(of)
  return [...new Set([...(seen?.[of] ?? []), ...(chosen === '' ? [] : [chosen])])]
}

const Choice = <T extends string>(props: ChoiceFieldProps<T>) => (
  <ChoiceField data-reads className="usage-choice" {...props} />
)

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
