import { useEffect, useRef, useState } from 'react'
import type { ChannelLink, ChannelPlatform } from '../../clients/typescript/operations.ts'
import { codeMs, maxLinks } from '../../domain/channels/link-limits.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import { Button } from '../components/button.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { Step } from '../components/step.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { channelTexts } from '../texts/channels.ts'
import { LinkCode } from './link-code.tsx'
import { PlatformChoice } from './platform-choice.tsx'
import { SendCode } from './send-code.tsx'

const words = channelTexts.link

interface Code {
  code: string
  untilMs: number
  platforms: ChannelPlatform[]
  /** Ids of the chats that were linked before there was a code. */
  linkedBefore: ReadonlySet<string>
}

export function LinkSteps({ channels, platforms }: { channels: ChannelLink[]; platforms: ChannelPlatform[] }) {
  const [chosen, setChosen] = useState<Platform | null>(
    platforms.length === 1 ? (platforms[0]?.platform ?? null) : null,
  )
  const [code, setCode] = useState<Code | null>(null)
  const [linked, setLinked] = useState<ChannelLink | null>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const make = useAction(async () => {
    // By this computer's own clock, which may be wrong.
    const untilMs = Date.now() + codeMs
    const made = await berth.createLinkCode()
    setCode({ ...made, untilMs, linkedBefore: new Set(channels.map(({ id }) => id)) })
    setLinked(null)
  })

  useEffect(() => {
    const fresh = code && channels.find(({ id, kind }) => kind === 'direct' && !code.linkedBefore.has(id))
    if (!fresh) return
    setCode(null)
    setLinked(fresh)
  }, [channels, code])
  useEffect(() => {
    // The focused element may have disappeared with the code.
    if (linked && document.activeElement === document.body) title.current?.focus()
  }, [linked])

  const place = (code?.platforms ?? platforms).find(({ platform }) => platform === chosen)
  const isFull = channels.length >= maxLinks
  return (
    <section aria-labelledby="link-title">
      <h2 id="link-title" ref={title} tabIndex={-1}>
        {words.title}
      </h2>
      {linked && (
        <Notice tone="good" onClose={() => setLinked(null)}>
          {words.linked(platformLabel(linked.platform), linked.person)}
        </Notice>
      )}
      {isFull && <Notice tone="info">{words.full(maxLinks)}</Notice>}
      <ol className="steps">
        <Step number={1} title={words.choose} done={place !== undefined} next={!place}>
          <PlatformChoice platforms={platforms} chosen={chosen} choose={setChosen} />
          {chosen === 'slack' && !code && (
            <p>
              {words.notInWorkspace(place?.name, (text) => (
                <Link to="/connect/slack">{text}</Link>
              ))}
            </p>
          )}
        </Step>
        <Step number={2} title={words.get} done={code !== null} next={place !== undefined && !code}>
          {code ? (
            <LinkCode {...code} busy={make.busy} renew={() => make.run()} />
          ) : (
            <Button variant="primary" busy={make.busy} disabled={!place || isFull} onClick={() => make.run()}>
              {words.get}
            </Button>
          )}
          <Problem text={make.problem} />
        </Step>
        <Step number={3} title={words.send} done={false} next={code !== null}>
          {code && place ? <SendCode code={code.code} place={place} /> : words.keep}
        </Step>
      </ol>
      <p className="hint">{words.groups(<code>/link</code>, <code>/berth link</code>)}</p>
    </section>
  )
}
