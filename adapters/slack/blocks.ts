/** Converts Slack's blocks to markup, for what a message's `text` omits. */

type Given = Readonly<Record<string, unknown>>
const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value)
const partsOf = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isGiven) : [])
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (value: unknown): string => textOf(value).replaceAll(/[&<>]/g, (character) => entities[character] ?? '')

const deepest = 12

export const richMarkup = (blocks: unknown): string =>
  joined(partsOf(blocks).flatMap((block) => (block.type === 'rich_text' ? richText(block) : [])))

/** Text of table blocks: Slack leaves a pasted table out of the message's `text`. */
export const tableMarkup = (blocks: unknown): string =>
  joined(partsOf(blocks).flatMap((block) => (block.type === 'table' ? table(block) : [])))

export const blocksMarkup = (blocks: unknown): string => joined(partsOf(blocks).map((block) => blockMarkup(block)))

const joined = (parts: readonly string[]): string => parts.filter((part) => part.trim() !== '').join('\n')

function blockMarkup(block: Given, depth = 0): string {
  if (depth > deepest) return ''
  if (block.type === 'rich_text') return richText(block)
  if (block.type === 'table') return table(block)
  const fields = partsOf(block.fields).map(object)
  const elements = block.type === 'context' ? partsOf(block.elements).map(object) : []
  return joined([object(block.text), ...fields, ...elements, object(block.title)])
}

/** Text of a text object as markup. In a Markdown block, the text itself is the string. */
function object(value: unknown): string {
  if (!isGiven(value)) return escaped(value)
  return value.type === 'mrkdwn' ? textOf(value.text) : escaped(value.text)
}

const richText = ({ elements }: Given): string => joined(partsOf(elements).map((part) => section(part)))

function section(part: Given, depth = 0): string {
  if (depth > deepest) return ''
  const said = () => partsOf(part.elements).map(inline).join('')
  switch (part.type) {
    case 'rich_text_list':
      return list(part)
    case 'rich_text_quote':
      return said()
        .split('\n')
        .map((line) => `&gt; ${line}`)
        .join('\n')
    case 'rich_text_preformatted':
      return `\`\`\`\n${said()}\n\`\`\``
    default:
      return said()
  }
}

function list({ elements, style, indent, offset }: Given): string {
  const first = typeof offset === 'number' ? offset + 1 : 1
  const depth = typeof indent === 'number' && indent > 0 ? Math.min(indent, deepest) : 0
  const items = partsOf(elements).map((item, i) => {
    const mark = style === 'ordered' ? `${first + i}.` : '•'
    return `${'  '.repeat(depth)}${mark} ${section(item, 1).replaceAll('\n', `\n${'  '.repeat(depth + 1)}`)}`
  })
  return items.join('\n')
}

function inline(part: Given): string {
  const { type, text, url, user_id, channel_id, usergroup_id, name, range, fallback, style } = part
  switch (type) {
    case 'text':
      return isGiven(style) && style.code === true ? `\`${escaped(text)}\`` : escaped(text)
    case 'link':
      return textOf(text) ? `<${textOf(url)}|${escaped(text)}>` : `<${textOf(url)}>`
    case 'user':
      return `<@${textOf(user_id)}>`
    case 'channel':
      return `<#${textOf(channel_id)}>`
    case 'usergroup':
      return `<!subteam^${textOf(usergroup_id)}>`
    case 'broadcast':
      return `<!${textOf(range)}>`
    case 'emoji':
      return `:${textOf(name)}:`
    default:
      return escaped(fallback) || escaped(text)
  }
}

/** Escapes cells, so that their text cannot add columns. */
function table({ rows }: Given): string {
  const lines = (Array.isArray(rows) ? rows : []).map((row) => partsOf(row).map(cell))
  const columns = Math.max(0, ...lines.map((line) => line.length))
  if (columns === 0) return ''
  const written = lines.map((line) => `| ${Array.from({ length: columns }, (_, i) => line[i] ?? '').join(' | ')} |`)
  return [written[0], `|${' --- |'.repeat(columns)}`, ...written.slice(1)].join('\n')
}

const cell = (given: Given): string =>
  (given.type === 'rich_text' ? richText(given) : escaped(given.text ?? given.value))
    .replaceAll('\n', ' ')
    .replaceAll(/\|(?![^<>]*>)/g, '\\|')
