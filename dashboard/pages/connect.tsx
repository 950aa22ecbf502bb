import { ChannelsPart } from '../channels/channels-part.tsx'
import { Loading } from '../components/notice.tsx'
import { Tabs, useTab } from '../components/tabs.tsx'
import { ClientsPart } from '../connect/clients-part.tsx'
import { useRead } from '../data/cache.ts'
import { useReady } from '../data/use-ready.ts'
import { connectTexts as words } from '../texts/connect.ts'
import { EndpointsCard } from '../webhooks/endpoints-card.tsx'
import { HooksCard } from '../webhooks/hooks-card.tsx'
import '../styles/connect.css'

function Webhooks() {
  if (!useReady(useRead('listHooks'), useRead('listWebhookEndpoints')))
    return <Loading problem={null} retry={() => {}} />
  return (
    <>
      <HooksCard />
      <EndpointsCard />
    </>
  )
}

export function ConnectPage() {
  const tab = useTab(words.tabs)
  return (
    <>
      <h1>{words.title}</h1>
      <Tabs label={words.parts} tabs={words.tabs} />
      {tab === 'clients' && <ClientsPart />}
      {tab === 'channels' && <ChannelsPart />}
      {tab === 'webhooks' && <Webhooks />}
    </>
  )
}
