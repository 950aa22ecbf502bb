import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth, errorText } from '../data/client.ts'
import { Link } from '../router.tsx'
import { channelTexts } from '../texts/channels.ts'

const words = channelTexts.slack

/** Slack's parameters; removed from the address, because they are valid only once. */
const returned = new URLSearchParams(window.location.pathname === '/connect/slack' ? window.location.search : '')
if (returned.size > 0) window.history.replaceState(null, '', window.location.pathname)

type Finished = { workspace: string } | { problem: string }

let finishing: Promise<Finished> | undefined

/** Finishes once, however often the page is shown; undefined without parameters. */
function finish(): Promise<Finished> | undefined {
  const [code, state] = [returned.get('code'), returned.get('state')]
  if (returned.has('error')) return Promise.resolve({ problem: words.refused })
  if (!code || !state) return undefined
  finishing ??= berth.finishSlackInstall({ code, state }).then(
    ({ workspace }) => ({ workspace: workspace.name }),
    (thrown) => ({ problem: errorText(thrown) }),
  )
  return finishing
}

export function ConnectSlackPage() {
  const [done, setDone] = useState<Finished | null>(null)
  const [waits, setWaits] = useState(() => finish() !== undefined)
  useEffect(() => {
    void finish()?.then((outcome) => {
      setDone(outcome)
      setWaits(false)
    })
  }, [])
  const start = useAction(async () => window.location.assign((await berth.startSlackInstall()).url))
  const added = done && 'workspace' in done
  return (
    <>
      <h1>{words.title}</h1>
      {waits && <p role="status">{words.adding}</p>}
      {added && (
        <Notice tone="good">
          {words.added(done.workspace, (text) => (
            <Link to="/connect?tab=channels">{text}</Link>
          ))}
        </Notice>
      )}
      {done && 'problem' in done && <Notice tone="bad">{done.problem}</Notice>}
      {start.problem && <Notice tone="bad">{start.problem}</Notice>}
      {!waits && (
        <>
          <p>{words.lead}</p>
          <Button variant={added ? 'plain' : 'primary'} busy={start.busy} onClick={() => start.run()}>
            {added ? words.addAnother : words.add}
          </Button>
        </>
      )}
    </>
  )
}
