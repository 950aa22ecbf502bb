import { ActivityCard } from '../account/activity-card.tsx'
import { DataCard } from '../account/data-card.tsx'
import { DevicesCard } from '../account/devices-card.tsx'
import { EmailCard } from '../account/email-card.tsx'
import { PasskeysCard } from '../account/passkeys-card.tsx'
import { accountTexts } from '../texts/account.ts'

export const AccountPage = () => (
  <>
    <h1>{accountTexts.title}</h1>
    <div className="two-columns">
      <EmailCard />
      <DataCard />
    </div>
    <DevicesCard />
    <PasskeysCard />
    <ActivityCard />
  </>
)
