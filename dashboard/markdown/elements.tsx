import type { Token, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { decoded, shownHtml } from '../../domain/markdown/entities.ts'
import type { FoldingToken, MarkdownToken } from '../../domain/markdown/lexer.ts'
import { texts } from '../texts/index.ts'
import { CodeBlock } from './code-block.tsx'
import { FootnoteMark, FootnoteText } from './footnotes.tsx'
import { FormulaView } from './formula-view.tsx'
import { ImageLink, WebLink } from './link-view.tsx'

/** Elements of one text; the rest is shown as plain text. */
const mostElements = 4_000

/** Elements of a code block, and of a table in addition to its cells. */
const ofCode = 8
const ofTable = 5

interface Drawing {
  left: number
  /** Links cannot contain links. */
  inLink: boolean
  growing: boolean
}

/** Makes only the elements named here: text never becomes HTML, a style or a fetched address. */
export const elementsOf = (tokens: readonly Token[], growing = false): ReactNode[] =>
  blocks(tokens, { left: mostElements, inLink: false, growing })

const asWritten = (text: string) => <p className="plain-text">{text}</p>

const rawOf = (tokens: readonly Token[]) => tokens.map(({ raw }) => raw).join('')

function blocks(tokens: readonly Token[], drawing: Drawing): ReactNode[] {
  const made: ReactNode[] = []
  for (const [at, token] of tokens.entries()) {
    if (drawing.left <= 0) {
      made.push(<Fragment key={at}>{asWritten(rawOf(tokens.slice(at)).trimEnd())}</Fragment>)
      break
    }
    drawing.left -= 1
    // safe because these are all the tokens that the lexer makes
    made.push(<Fragment key={at}>{block(token as FoldingToken, drawing)}</Fragment>)
  }
  return made
}

function block(token: FoldingToken, drawing: Drawing): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return (
        <h3 dir="auto" className={`prose-title level-${token.depth}`}>
          {inline(token.tokens, drawing)}
        </h3>
      )
    case 'code':
      drawing.left -= ofCode
      return <CodeBlock code={token.text} language={token.lang ?? ''} growing={drawing.growing} />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, drawing)}</blockquote>
    case 'fold':
      return (
        <details className="fold" open={token.isOpen}>
          <summary>{token.summary.length > 0 ? inline(token.summary, drawing) : texts.chat.markdown.details}</summary>
          {blocks(token.tokens, drawing)}
        </details>
      )
    case 'list':
      return list(token, drawing)
    case 'table':
      return table(token, drawing)
    case 'hr':
      return <hr />
    case 'formula':
      return <FormulaView {...token} />
    case 'footnote':
      return <FootnoteText name={token.name}>{inline(token.tokens, drawing)}</FootnoteText>
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens ?? [token], drawing)}</p>
    case 'html':
      return asWritten(shownHtml(token.text).trim())
    case 'plain':
      return asWritten(token.text.trimEnd())
    case 'text':
      return inline(token.tokens ?? [token], drawing)
    default:
      return inline([token], drawing)
  }
}

function list({ items, ordered, start }: Tokens.List, drawing: Drawing): ReactNode {
  const shown = items.slice(0, Math.max(drawing.left, 1))
  const lines = shown.map((item, at) => (
    <li key={at} dir="auto" className={item.task ? 'task' : undefined}>
      {blocks(item.tokens, drawing)}
    </li>
  ))
  const more = items.length > shown.length && asWritten(rawOf(items.slice(shown.length)))
  return (
    <>
      {ordered ? <ol start={Math.min(Number(start) || 0, 999_999_999)}>{lines}</ol> : <ul>{lines}</ul>}
      {more}
    </>
  )
}

function table({ header, rows, align, raw }: Tokens.Table, drawing: Drawing): ReactNode {
  const cells = header.length * (rows.length + 1)
  if (cells > drawing.left) return <CodeBlock code={raw.trimEnd()} language="" />
  drawing.left -= cells + ofTable
  const cell = (at: number) => `align-${align[at] ?? 'none'}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys
    <section className="table-scroll" tabIndex={0} aria-label={texts.chat.markdown.table}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, at) => (
              <th key={at} scope="col" dir="auto" className={cell(at)}>
                {inline(tokens, drawing)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens }, at) => (
                <td key={at} dir="auto" className={cell(at)}>
                  {inline(tokens, drawing)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function inline(tokens: readonly Token[], drawing: Drawing): ReactNode[] {
  const made: ReactNode[] = []
  for (const [at, token] of tokens.entries()) {
    if (drawing.left <= 0) {
      made.push(rawOf(tokens.slice(at)))
      break
    }
    drawing.left -= 1
    // safe because these are all the tokens that the lexer makes
    const element = span(token as MarkdownToken, drawing)
    made.push(typeof element === 'string' ? element : <Fragment key={at}>{element}</Fragment>)
  }
  return made
}

function span(token: MarkdownToken, drawing: Drawing): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, drawing)}</strong>
    case 'em':
      return <em>{inline(token.tokens, drawing)}</em>
    case 'del':
      return <del>{inline(token.tokens, drawing)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token, drawing)
    case 'image':
      return drawing.inLink ? token.text : <ImageLink href={token.href} text={decoded(token.text)} />
    case 'checkbox':
      return (
        <>
          <span className="task-mark" aria-hidden="true">
            {token.checked ? '☑' : '☐'}
          </span>
          <span className="visually-hidden">
            {token.checked ? texts.chat.markdown.done : texts.chat.markdown.open}{' '}
          </span>
        </>
      )
    case 'formula':
      return <FormulaView {...token} />
    case 'footnote-mark':
      return drawing.inLink ? token.raw : <FootnoteMark name={token.name} />
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : token.raw
    case 'text':
      return token.tokens ? inline(token.tokens, drawing) : decoded(token.raw)
    case 'escape':
      return token.text
    case 'paragraph':
      return inline(token.tokens ?? [], drawing)
    default:
      return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
  }
}

function link({ href, text, tokens }: Tokens.Link, drawing: Drawing): ReactNode {
  if (drawing.inLink) return inline(tokens, drawing)
  drawing.inLink = true
  const label = inline(tokens, drawing)
  drawing.inLink = false
  return (
    <WebLink href={decoded(href)} text={decoded(text)}>
      {label}
    </WebLink>
  )
}
