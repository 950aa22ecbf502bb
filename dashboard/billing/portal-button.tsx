import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'

/** Leads to the payment provider's own page, where cards are changed and subscriptions ended. */
export function PortalButton({ label, primary = false }: { label: string; primary?: boolean }) {
  const open = useAction(async () => {
    const { url } = await api.billingPortal()
    window.location.assign(url)
  })
  return (
    <>
      <Button look={primary ? 'primary' : 'plain'} busy={open.busy} onPress={() => open.run()}>
        {label}
      </Button>
      {open.problem && <Notice tone="bad">{open.problem}</Notice>}
    </>
  )
}
