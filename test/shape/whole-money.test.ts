import { parseSync } from '@swc/core'
import { sources } from './sources.ts'

/**
 * The files in which money is decided, written, moved or billed. Price lists are in dollars by nature and are not
 * included.
 */
const paths =
  /^(domain\/(money|dollars)\.ts|(domain|app)\/(wallet|billing)\/|domain\/models\/(metering|settlement)\.ts|adapters\/dynamo\/(wallet|billing)\/|adapters\/stripe\/|lambdas\/(wallet|billing|billing-jobs|wallet-jobs)\/)/

const money = sources.filter(({ path }) => paths.test(path))

/** Numbers of days, which may have a fraction. */
const days = new Set(['runwayDays'])

type Node = { type: string } & Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* childrenOf(node: object): Generator<Node> {
  for (const value of Object.values(node)) {
    if (isNode(value)) yield value
    else if (typeof value === 'object' && value !== null) yield* childrenOf(value)
  }
}

const within = (node: object, fits: (node: Node) => boolean): boolean =>
  (isNode(node) && fits(node)) || [...childrenOf(node)].some((child) => within(child, fits))

/** The called name, such as `Number` or `Math.floor`; empty when the callee is not a plain name. */
function calleeOf({ type, callee }: Node): string {
  if (type !== 'CallExpression' || !isNode(callee)) return ''
  if (callee.type === 'Identifier') return String(callee.value)
  const { object, property } = callee
  return isNode(object) && isNode(property) ? `${object.value}.${property.value}` : ''
}
const isBig = (node: object): boolean =>
  within(node, (part) => part.type === 'BigIntLiteral' || calleeOf(part) === 'BigInt')

const floats = new Set(['parseFloat', 'toFixed', 'toPrecision', 'fround'])

/**
 * Parts of a syntax tree that could produce a fraction of money; `rounded` is true when the surrounding call rounds the
 * node's value.
 */
function fractions(node: Node, rounded = false): string[] {
  const own: string[] = []
  const { type, value, operator } = node
  if (type === 'FunctionDeclaration' && isNode(node.identifier) && days.has(String(node.identifier.value))) return []
  if (type === 'NumericLiteral' && !Number.isSafeInteger(value)) own.push(String(value))
  if (type === 'Identifier' && floats.has(String(value))) own.push(String(value))
  if (operator === '/=' || (operator === '/' && !rounded && !isBig(node))) own.push('/ without rounding')
  const called = calleeOf(node)
  if (called === 'Number' && !rounded && !isBig(node)) own.push('Number() without a check')
  const through = rounded && type === 'ParenthesisExpression'
  const rounds = ['Math.floor', 'Math.ceil', 'wholeMicros', 'wholeAmount'].includes(called)
  return [...own, ...[...childrenOf(node)].flatMap((child) => fractions(child, rounds || through))]
}

const read = (text: string): string[] => {
  const tree: unknown = parseSync(text, { syntax: 'typescript', target: 'es2022' })
  return isNode(tree) ? fractions(tree) : ['unreadable']
}

describe('the check for fractions of money', () => {
  test.each(money.map((file) => [file.path, file] as const))('finds none in %s', (_, { text }) => {
    expect(read(text)).toEqual([])
  })

  test('covers every file that handles money', () => {
    expect(money.length).toBeGreaterThan(60)
    for (const file of [
      'domain/wallet/ledger.ts',
      'adapters/dynamo/wallet/holds.ts',
      'lambdas/wallet-jobs/sweep-wallets.ts',
    ])
      expect(money.map(({ path }) => path)).toContain(file)
  })

  test.each([
    'const half = cents / 2',
    'const tax = cents * 0.19',
    'const rate = 1e-3',
    'const cents = parseFloat(text)',
    'const cents = Number.parseFloat(text)',
    'const text = dollars.toFixed(2)',
    'const cents = Number(text)',
    'cents /= 3',
    'const cents = Math.floor(text.length) + all / 3',
  ])('finds one in %s', (text) => {
    expect(read(text)).toHaveLength(1)
  })

  test.each([
    'const share = Number((BigInt(a) * BigInt(b)) / BigInt(c))',
    'const cents = Math.floor(micros / 10_000)',
    'const rate = Math.ceil((sum) / (days))',
    'const left = wholeMicros(Number(text))',
    "const text = '$0.50 of 1/2'",
  ])('allows %s', (text) => {
    expect(read(text)).toEqual([])
  })

  test('finds no write of a wallet’s transaction that bypasses the checked writes', () => {
    const around = money.filter(
      ({ path, text }) =>
        /^adapters\/dynamo\/(wallet\/|billing\/checkouts)/.test(path) &&
        !path.endsWith('/wallet/writes.ts') &&
        /import \{[^}]*\b(change|changeInput|putInput|putNew)\b[^}]*\} from '\.\.\/calls\.ts'|\b(Put|Update|TransactWrite)Item\w*Command\b/.test(
          text,
        ),
    )
    expect(around.map(({ path }) => path)).toEqual([])
  })
})
