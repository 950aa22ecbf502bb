import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Scope } from '../../domain/scopes.ts'
import { CheckList, type CheckListProps } from '../components/check-list.tsx'

export const ScopeList = (props: Omit<CheckListProps<Scope>, 'labelOf'>) => (
  <CheckList
    {...props}
    labelOf={(scope) => (
      <>
        {scopeLabels[scope]} <code>{scope}</code>
      </>
    )}
  />
)
