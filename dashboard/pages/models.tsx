import { CopyLine } from '../components/copy-line.tsx'
import { useRead } from '../data/cache.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { modelsTexts as words } from '../texts/models.ts'
import '../styles/models.css'

/** Explains how to give the service a model provider, in lines to paste. */
export function ModelsPage() {
  const { data } = useRead('listModels')
  const own = data?.models.filter(({ provider }) => provider !== 'local') ?? []
  return (
    <>
      <h1>{words.title}</h1>
      <p>{data && own.length === 0 ? words.onlyStandIn : data && words.now(<Names of={own.map(({ id }) => id)} />)}</p>
      <section className="card set-up" aria-labelledby="set-up-local">
        <h2 id="set-up-local">{words.local}</h2>
        <p>{words.localLead}</p>
        <h3>{words.vendors}</h3>
        <p className="hint">{words.vendorsHint}</p>
        <CopyLine label="Anthropic" text="ANTHROPIC_API_KEY=sk-ant-… npm start" />
        <CopyLine label="OpenAI" text="OPENAI_API_KEY=sk-… npm start" />
        <h3>{words.openRouter}</h3>
        <p className="hint">{words.openRouterHint}</p>
        <CopyLine label="OpenRouter" text="OPENROUTER_API_KEY=sk-or-… npm start" />
        <h3>{words.ollama}</h3>
        <p className="hint">{words.ollamaHint}</p>
        <CopyLine label={words.ollamaPull} text="ollama pull llama3.2" />
        <CopyLine label={words.start} text="OPENAI_BASE_URL=http://127.0.0.1:11434/v1 npm start" />
      </section>
      <section className="card set-up" aria-labelledby="set-up-cloud">
        <h2 id="set-up-cloud">{words.cloud}</h2>
        <p>{words.cloudLead}</p>
        <CopyLine
          label={words.cloudFile}
          text={
            '{ "anthropic": { "kind": "anthropic", "baseUrl": "https://api.anthropic.com/v1", "apiKey": "sk-ant-…" } }'
          }
        />
        <CopyLine
          label={words.cloudCheck}
          text={
            'npm run providers -- providers.json\naws secretsmanager put-secret-value --secret-string file://providers.json --secret-id "$(aws ssm get-parameter --name /berth/prod/state/secrets/providers --query Parameter.Value --output text)"'
          }
        />
      </section>
      <p>
        {words.next} <Link to="/">{words.toChat}</Link>
      </p>
    </>
  )
}

const shownNames = 10

function Names({ of }: { of: string[] }) {
  const rest = of.length - shownNames
  return (
    <>
      {of.slice(0, shownNames).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <code>{id}</code>
        </span>
      ))}
      {rest > 0 && ` ${texts.chat.model.more(rest)}`}
    </>
  )
}
