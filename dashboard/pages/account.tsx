import { ActivityCard, activityInput } from '../account/activity-card.tsx'
import { DataCard } from '../account/data-card.tsx'
import { DevicesCard } from '../account/devices-card.tsx'
import { EmailCard } from '../account/email-card.tsx'
import { PasskeysCard } from '../account/passkeys-card.tsx'
import { Loading } from '../components/notice.tsx'
import { usePages, useRead } from '../data/cache.ts'
import { useReady } from '../data/use-ready.ts'
import { accountTexts } from '../texts/account.ts'

export function AccountPage() {
  const { items, problem } = usePages('listAudit', 'entries', activityInput)
  const isReady = useReady(useRead('listSessions'), useRead('listPasskeys'), { data: items, problem })
  return (
    <>
      <h1>{accountTexts.title}</h1>
      <div className="two-columns">
        <EmailCard />
        <DataCard />
      </div>
      {isReady ? (
        <>
          <DevicesCard />
          <PasskeysCard />
          <ActivityCard />
        </>
      ) : (
        <Loading problem={null} retry={() => {}} />
      )}
    </>
  )
}
