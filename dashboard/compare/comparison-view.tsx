import { lazy, Suspense } from 'react'
import { Loading } from '../components/notice.tsx'
import type { SideBySideProps } from './side-by-side.tsx'

const SideBySide = lazy(async () => ({ default: (await import('./side-by-side.tsx')).SideBySide }))

/** Loads the code of the comparison when it is first shown. */
export const ComparisonView = (props: SideBySideProps) => (
  <Suspense fallback={<Loading problem={null} retry={() => {}} />}>
    <SideBySide {...props} />
  </Suspense>
)
