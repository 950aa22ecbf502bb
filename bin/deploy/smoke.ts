interface Check {
  what: string
  path: string
  method?: string
  isRight(status: number, body: string): boolean
}

const checks: Check[] = [
  {
    what: 'the service is healthy',
    path: '/api/health',
    isRight: (status, body) => status === 200 && /"ok":\s*true/.test(body),
  },
  { what: 'the dashboard loads', path: '/', isRight: (status, body) => status === 200 && body.includes('<title>') },
  { what: 'plans are listed', path: '/api/plans', isRight: (status) => status === 200 },
  { what: 'calls without a token are refused', path: '/api/wallet', isRight: (status) => status === 401 },
  { what: 'MCP requires a sign-in', path: '/api/mcp', method: 'POST', isRight: (status) => status === 401 },
]

const betweenMs = 2_000

/**
 * Repeats the checks until all succeed.
 * @param patienceMs that a new distribution may take to answer everywhere
 * @returns a line for each check that never succeeded
 */
export async function smokeTest(origin: string, patienceMs: number, say: (line: string) => void): Promise<string[]> {
  const until = Date.now() + patienceMs
  const failed: string[] = []
  for (const check of checks) {
    let answer = await ask(origin, check)
    while (!answer.isRight && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, betweenMs))
      answer = await ask(origin, check)
    }
    if (answer.isRight) say(`  ok: ${check.what}`)
    else failed.push(`${check.what}: ${check.method ?? 'GET'} ${origin}${check.path} answered ${answer.gave}`)
  }
  return failed
}

async function ask(origin: string, { path, method = 'GET', isRight }: Check) {
  try {
    const response = await fetch(`${origin}${path}`, { method, signal: AbortSignal.timeout(30_000) })
    return { isRight: isRight(response.status, await response.text()), gave: String(response.status) }
  } catch (error) {
    return { isRight: false, gave: error instanceof Error ? String(error.cause ?? error.message) : String(error) }
  }
}
