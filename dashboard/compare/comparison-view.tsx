import { lazy, Suspense } from 'react'
import { Loading } from '../components/notice.tsx'
import type { SideBySideProps } from './side-by-side.tsx'

const SideBySide = lazy(async () => ({ default: (await import('./side-by-side.tsx')).SideBySide }))

/** Two texts side by side; the code is loaded at their first display. */
export const ComparisonView = (props: SideBySideProps) => (
  <Suspense fallback={<Loading problem={null} retry={() => {}} />}>
    <SideBySide {...props} />
  </Suspense>
)
