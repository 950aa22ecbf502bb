import { viewRoot } from '../../domain/view-root.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showClock } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton } from './act-dialog.tsx'

/** A full reload: the view contains nothing of the operator's, and later nothing of the user's remains. */
const openView = () => window.location.assign(viewRoot)

export const ViewButton = ({ user, person, messages }: { user: string; person: string; messages: boolean }) => (
  <ActButton
    label={messages ? words.view.openWithMessages : words.view.open}
    title={messages ? words.view.titleWithMessages(person) : words.view.title(person)}
    hint={messages ? words.view.hintWithMessages : words.view.hint}
    variant="plain"
    danger={messages}
    act={async (reason) => {
      await (messages ? berth.viewUserMessages({ user, reason }) : berth.viewUser({ user, reason }))
      openView()
    }}
  />
)

export function StandingView() {
  const { data } = useRead('getView')
  const ending = useAction(async () => {
    if (data?.view) await berth.endView({ user: data.view.user, reason: data.view.reason })
    refresh('getView')
  })
  if (!data?.view) return null
  return (
    <div className="notice info" role="status">
      <div className="notice-text">
        {words.view.standing(data.view.user, showClock(data.view.endsAt))}
        {ending.problem && <p role="alert">{ending.problem}</p>}
      </div>
      <div className="buttons">
        {data.here && <Button onClick={openView}>{words.view.goOn}</Button>}
        <Button busy={ending.busy} onClick={() => void ending.run()}>
          {words.view.end}
        </Button>
      </div>
    </div>
  )
}
