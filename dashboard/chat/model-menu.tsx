import { useRef, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { Model } from '../../domain/models/model.ts'
import { useAccount } from '../account-state.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { DownIcon } from '../components/icons.tsx'
import { Loading, Notice, Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { modelOf, setModel, useConversationList } from '../conversations/list.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount } from '../format.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

/** A list with more models than this has a field that filters it. */
const shortList = 8

type Reach = 'here' | 'everywhere'

/** The model in use, and a menu that changes it for this conversation or for all. */
export function ModelMenu({ conversation }: { conversation: string }) {
  const { status } = useAccount()
  const { list } = useConversationList()
  const [shown, setShown] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const own = list && modelOf(list, conversation)
  const { data, problem, reload } = useRead('listModels', shown || own ? {} : null)
  const words = texts.chat.model
  const usual = status?.instance?.model
  if (!usual || !list) return null
  const models = data?.models.filter(({ formats }) => !formats.includes('openai-embeddings'))
  const isGone = own !== null && models !== undefined && !models.some(({ id }) => id === own)
  const current = own === null || isGone ? usual : own
  return (
    <>
      {isGone && own && (
        <Notice tone="info" action={{ label: words.useUsual, run: () => void setModel(conversation, null) }}>
          {words.gone(own, nameOf(usual))}
        </Notice>
      )}
      <button type="button" className="model-button" data-reads popoverTarget="models">
        <span className="visually-hidden">{words.label} </span>
        <bdi>{nameOf(current)}</bdi>
        <DownIcon />
      </button>
      <div
        id="models"
        ref={menu}
        popover="auto"
        className="menu models"
        onToggle={({ newState }) => setShown(newState === 'open')}
      >
        {shown &&
          (models ? (
            <Models {...{ models, usual, conversation, own }} onChosen={() => menu.current?.hidePopover()} />
          ) : (
            <Loading problem={problem} retry={reload} />
          ))}
      </div>
    </>
  )
}

const nameOf = (id: string): string => (id === 'default' ? texts.chat.model.standard : id)

interface ModelsProps {
  models: Model[]
  usual: string
  conversation: string
  own: string | null
  onChosen: () => void
}

function Models({ models, usual, conversation, own, onChosen }: ModelsProps) {
  const { setInstance } = useAccount()
  const [reach, setReach] = useState<Reach>('here')
  const [typed, setTyped] = useState('')
  const words = texts.chat.model
  const choose = useAction(async (id: string | null) => {
    if (reach === 'here') await setModel(conversation, id)
    else {
      setInstance((await berth.setInstanceModel({ model: id ?? 'default' })).instance)
      // The choice for all applies to this conversation, too.
      if (own !== null) await setModel(conversation, null)
    }
    onChosen()
  })
  const chosen = reach === 'here' ? own : usual === 'default' ? null : usual
  const fitting = models.filter(({ id }) => id.toLowerCase().includes(typed.trim().toLowerCase()))
  const first = reach === 'here' ? words.asUsual(nameOf(usual)) : words.standard
  return (
    <>
      <ChoiceField
        label={words.reach}
        value={reach}
        options={[
          ['here', words.here],
          ['everywhere', words.everywhere],
        ]}
        onChoice={(next) => setReach(next === 'here' ? 'here' : 'everywhere')}
      />
      {models.length > shortList && <TextField type="search" label={words.filter} value={typed} onText={setTyped} />}
      <p className="hint">{words.unit}</p>
      <Problem text={choose.problem} />
      <ul aria-label={words.all}>
        <Choice name={first} isChosen={chosen === null} choose={() => choose.run(null)} />
        {fitting.map((model) => (
          <Choice
            key={model.id}
            name={model.id}
            detail={detailOf(model)}
            isChosen={chosen === model.id}
            choose={() => choose.run(model.id)}
          />
        ))}
      </ul>
      {fitting.length === 0 && <p className="muted">{words.none}</p>}
      {models.every(({ provider }) => provider === 'local') && (
        <p className="muted">
          <Link to="/models" onFollow={onChosen}>
            {words.setUp}
          </Link>
        </p>
      )}
    </>
  )
}

interface ChoiceProps {
  name: string
  detail?: string
  isChosen: boolean
  choose: () => void
}

const Choice = ({ name, detail, isChosen, choose }: ChoiceProps) => (
  <li>
    <button type="button" className="model-choice" aria-pressed={isChosen} onClick={choose}>
      <bdi>{name}</bdi>
      {detail && <span className="muted">{detail}</span>}
    </button>
  </li>
)

function detailOf({ prices, contextTokens }: Model): string {
  const price = texts.chat.model.price(formatMicros(prices.input), formatMicros(prices.output))
  return contextTokens === null ? price : `${price} · ${texts.chat.model.context(showCount(contextTokens))}`
}
