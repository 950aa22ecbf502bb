import { area } from '../kit/area.ts'
import type { AnyOperation } from '../kit/operation.ts'
import { getView } from './get-view.ts'
import { readAsUser } from './read-as-user.ts'

/** A separate function without any port that writes. @param viewed the operations of other areas that a view shows */
export const viewArea = (viewed: readonly AnyOperation[]) =>
  area({
    name: 'view',
    about: 'For an operator who views a user’s account with read access.',
    operations: [getView, readAsUser(viewed)],
    tools: viewed,
  })
