import { lazy, type ReactNode, Suspense } from 'react'
import type { ChannelPlatform } from '../../clients/typescript/operations.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import { Boundary } from '../components/boundary.tsx'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { inGroups } from './code-text.ts'

const QrCode = lazy(() => import('./qr-code.tsx').then((module) => ({ default: module.QrCode })))

const ways: Record<Platform, (name: string, code: string) => ReactNode> = {
  telegram: (name) => (
    <>
      Open the chat with {name} and press <strong>Start</strong>: the code is in the link. Or send it the code as a
      message.
    </>
  ),
  slack: (name) => (
    <>
      Open {name} and send it the code as a direct message. Your workspace does not have it yet?{' '}
      <Link to="/connect/slack">Add it to Slack</Link> first.
    </>
  ),
  discord: (name, code) => (
    <>
      Add {name}, open its direct messages, and send <code>/link {code}</code>.
    </>
  ),
}

/** How the code gets to its platform, and the wait until it has. */
export function SendCode({ code, place }: { code: string; place: ChannelPlatform }) {
  const { platform, name, startUrl } = place
  const label = platformLabel(platform)
  return (
    <div className="send-code">
      <div>
        <p>{ways[platform](name, inGroups(code))}</p>
        <a className="button primary" href={startUrl} target="_blank" rel="noopener noreferrer">
          Open {label}
        </a>
        <p className="link-wait" role="status">
          <span className="spinner" aria-hidden="true" /> Waiting for the code to arrive. This page notices by itself.
        </p>
      </div>
      {startUrl.includes(code) && (
        <Boundary key={startUrl} fallback={null}>
          <figure className="qr-figure">
            <Suspense fallback={<div className="qr-code" />}>
              <QrCode text={startUrl} label={`QR code that opens ${label} with the code`} />
            </Suspense>
            <figcaption className="hint">Or scan it with your phone</figcaption>
          </figure>
        </Boundary>
      )}
    </div>
  )
}
