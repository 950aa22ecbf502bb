import { lazy, Suspense, useRef, useState } from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import type { Wallet } from '../../domain/wallet/wallet.ts'
import { useAccount } from '../account-state.tsx'
import { Composer, type ComposerHandle } from '../chat/composer.tsx'
import { type Conversation, waitingSince } from '../chat/conversation.ts'
import { fetchAfterComposer } from '../chat/fetch-after-composer.ts'
import { ModelMenu } from '../chat/model-menu.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { Conversations } from '../conversations/conversations.tsx'
import { useRead } from '../data/cache.ts'
import { isLocal } from '../local.ts'
import { checkoutOutcome, Link, useSearchState } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { readPrompt } from '../trial/kept-prompt.ts'

const History = lazy(async () => ({ default: (await fetchAfterComposer()).History }))
const FirstSteps = lazy(async () => ({ default: (await import('../chat/first-steps.tsx')).FirstSteps }))
const OpenQuestions = lazy(async () => ({ default: (await fetchAfterComposer()).OpenQuestions }))
const TrialStart = lazy(async () => ({ default: (await import('../trial/trial-start.tsx')).TrialStart }))
const TrialNote = lazy(async () => ({ default: (await import('../trial/trial-note.tsx')).TrialNote }))
const PromptIdeas = lazy(async () => ({ default: (await import('../chat/prompt-ideas.tsx')).PromptIdeas }))
const PendingReply = lazy(async () => ({ default: (await fetchAfterComposer()).PendingReply }))

export function ChatPage({ conversation }: { conversation: Conversation }) {
  const { messages, outgoing, loaded, problem, read } = conversation
  const { status } = useAccount()
  const composer = useRef<ComposerHandle>(null)
  const [target, setTarget] = useSearchState<string>('message', '')
  const since = waitingSince(conversation)
  const quiet = messages.length === 0 && outgoing.length === 0
  const [justPaid, setJustPaid] = useState(checkoutOutcome === 'success')

  const heading = <h1 className="visually-hidden">{texts.layout.pages.chat}</h1>
  if (!loaded || !status)
    return (
      <>
        {heading}
        <Loading problem={problem} retry={read} />
        {problem && conversation.id !== mainConversation && (
          <p className="notice info">
            <Link to="/">{texts.chat.openMain}</Link>
          </p>
        )}
      </>
    )
  const pending = since && (
    <PendingReply
      since={since}
      conversation={conversation}
      instance={status.instance}
      unpaid={status.wallet.suspended ? 'suspended' : isUnpaid(status.wallet) ? 'empty' : null}
    />
  )
  return (
    <>
      {heading}
      <Conversations open={conversation.id} />
      {quiet ? (
        <div className="log-scroll">
          <div className="log-inner">
            <Suspense fallback={null}>
              {conversation.id === mainConversation ? <FirstSteps status={status} /> : <NewConversation />}
            </Suspense>
          </div>
        </div>
      ) : (
        <Suspense fallback={<Waiting />}>
          <History
            key={conversation.id}
            conversation={conversation}
            targetId={target === '' ? null : target}
            onShown={() => setTarget('', { replace: true })}
            onGoTo={(messageId) => setTarget(messageId)}
            end={conversation.isNewest ? pending : <EarlierVersion onNewest={() => conversation.show(null)} />}
          />
        </Suspense>
      )}
      <div className="composer-dock">
        <Suspense fallback={null}>
          {conversation.questions.length > 0 && <OpenQuestions questions={conversation.questions} reload={read} />}
        </Suspense>
        {problem && (
          <Notice tone="bad" action={{ label: texts.common.tryAgain, run: read }}>
            {problem}
          </Notice>
        )}
        {!quiet && <Warnings />}
        <Suspense fallback={null}>
          {conversation.id === mainConversation && (mayTry(status) || readPrompt() !== '') && (
            <TrialStart
              status={status}
              send={(text) => conversation.send(text, [])}
              take={(text) => composer.current?.take(text, [])}
            />
          )}
          {isSubscribed(status) && (quiet || justPaid) && (
            <PromptIdeas
              onPick={(text) => {
                composer.current?.take(text, [])
                setJustPaid(false)
              }}
            />
          )}
        </Suspense>
        <Composer key={conversation.id} ref={composer} conversation={conversation.id} onSend={conversation.send} />
        <ModelMenu conversation={conversation.id} />
      </div>
    </>
  )
}

/** As tall as the loaded chat, so that nothing moves. */
const Waiting = () => (
  <div className="log-frame">
    <Loading problem={null} retry={() => {}} />
  </div>
)

const EarlierVersion = ({ onNewest }: { onNewest: () => void }) => (
  <Notice tone="info" action={{ label: texts.chat.versions.newest, run: onNewest }}>
    {texts.chat.versions.older}
  </Notice>
)

const NewConversation = () => (
  <div className="first-steps">
    <h2>{texts.chat.newConversation.title}</h2>
    <p className="muted">{texts.chat.newConversation.text}</p>
  </div>
)

const isSubscribed = ({ subscription }: InstanceStatus): boolean =>
  subscription.status === 'active' || subscription.status === 'past_due'

const mayTry = ({ subscription, trial }: InstanceStatus): boolean => subscription.status === 'none' && trial === null

const isUnpaid = ({ owedMicros, balanceMicros, heldMicros }: Wallet): boolean =>
  owedMicros > 0 || (balanceMicros === 0 && heldMicros === 0)

/** A local service without a provider's key has only stand-in models, and says how to change that. */
function StandIn() {
  const { data } = useRead('listModels', isLocal() ? {} : null)
  const isStandIn = data?.models.every(({ id }) => id.startsWith('local/'))
  return isStandIn ? (
    <p className="stand-in">
      {texts.chat.standIn} <Link to="/models">{texts.chat.setUpModel}</Link>
    </p>
  ) : null
}

function Warnings() {
  const { status } = useAccount()
  if (!status) return null
  const { wallet, instance, trial } = status
  if (instance?.state === 'failed') {
    return (
      <Notice tone="bad">
        {texts.chat.machineFailed} <Link to="/instance">{texts.chat.seeWhy}</Link>
      </Notice>
    )
  }
  if (trial && !isSubscribed(status)) {
    return (
      <Suspense fallback={null}>
        <TrialNote trial={trial} wallet={wallet} />
        <StandIn />
      </Suspense>
    )
  }
  if (wallet.suspended) return <Notice tone="bad">{texts.chat.walletSuspended}</Notice>
  if (isUnpaid(wallet)) {
    return (
      <Notice tone="bad">
        {texts.chat.walletEmpty} <Link to="/wallet">{texts.chat.topUp}</Link>
      </Notice>
    )
  }
  if (wallet.low) {
    return (
      <Notice tone="info">
        {texts.chat.walletLow} <Link to="/wallet">{texts.chat.topUp}</Link>
      </Notice>
    )
  }
  return <StandIn />
}
