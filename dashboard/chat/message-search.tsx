import { useRef, useState } from 'react'
import type { Operations } from '../../clients/typescript/operations.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { usePages } from '../data/cache.ts'
import { showDayTime } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

type Match = Operations['searchMessages']['output']['found'][number]

interface SearchProps {
  /** Called with the text while it is typed. */
  onText: (text: string) => void
  onLeave: () => void
}

/** Searches all conversations. A result links to its message. */
export function MessageSearch({ onText, onLeave }: SearchProps) {
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const search = () => {
    if (text.trim().length < 2) field.current?.focus()
    else setQuery(text.trim())
  }
  return (
    <search className="message-search">
      <Form noValidate={false} className="question-answers" onSubmit={search}>
        <label htmlFor="message-search" className="visually-hidden">
          {texts.chat.search.label}
        </label>
        <input
          ref={field}
          data-reads
          id="message-search"
          type="search"
          value={text}
          minLength={2}
          maxLength={100}
          placeholder={texts.chat.search.run}
          onChange={({ target }) => {
            setText(target.value)
            onText(target.value)
            if (target.value === '') setQuery('')
          }}
        />
        <Button submit reads>
          {texts.chat.search.run}
        </Button>
      </Form>
      {query !== '' && <Results key={query} text={query} onLeave={onLeave} />}
    </search>
  )
}

function Results({ text, onLeave }: { text: string; onLeave: () => void }) {
  const { items, problem, reload, more, busy } = usePages('searchMessages', 'found', { text })
  if (problem)
    return (
      <Notice tone="bad" action={{ label: texts.common.tryAgain, run: reload }}>
        {problem}
      </Notice>
    )
  return (
    <>
      <p className="muted" role="status">
        {items === null ? texts.common.loading : texts.chat.search.found(items.length, more !== null)}
      </p>
      <ul className="found">
        {items?.map((hit) => (
          <li key={hit.id}>
            <Link to={placeOf(hit)} className="found-line" onFollow={onLeave}>
              <span className="muted">
                {hit.role === 'user' ? texts.chat.you : texts.chat.agent}, {showDayTime(hit.at)}
              </span>
              <span dir="auto">{clean(hit.excerpt)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {more && (
        <Button reads busy={busy} onClick={more}>
          {texts.chat.search.further}
        </Button>
      )}
    </>
  )
}

const placeOf = ({ conversation, id }: Match): string =>
  `/?${new URLSearchParams({ ...(conversation !== mainConversation && { conversation }), message: id })}`
