import { ChannelsPart } from '../channels/channels-part.tsx'
import { Tabs, useTab } from '../components/tabs.tsx'
import { ClientsPart } from '../connect/clients-part.tsx'
import { connectTexts as words } from '../texts/connect.ts'
import { EndpointsCard } from '../webhooks/endpoints-card.tsx'
import { HooksCard } from '../webhooks/hooks-card.tsx'

export function ConnectPage() {
  const tab = useTab(words.tabs)
  return (
    <>
      <h1>{words.title}</h1>
      <Tabs label={words.parts} tabs={words.tabs} />
      {tab === 'clients' && <ClientsPart />}
      {tab === 'channels' && <ChannelsPart />}
      {tab === 'webhooks' && (
        <>
          <HooksCard />
          <EndpointsCard />
        </>
      )}
    </>
  )
}
