import { lazy, type ReactNode, Suspense } from 'react'
import type { ChannelPlatform } from '../../clients/typescript/operations.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import { Boundary } from '../components/boundary.tsx'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { channelTexts } from '../texts/channels.ts'
import { inGroups } from './code-text.ts'

const QrCode = lazy(() => import('./qr-code.tsx').then((module) => ({ default: module.QrCode })))

const words = channelTexts.link

const ways: Record<Platform, (name: string, code: string) => ReactNode> = {
  telegram: (name) => words.ways.telegram(name, (text) => <strong>{text}</strong>),
  slack: (name) => words.ways.slack(name, (text) => <Link to="/connect/slack">{text}</Link>),
  discord: (name, code) => words.ways.discord(name, <code>/link {code}</code>),
}

export function SendCode({ code, place }: { code: string; place: ChannelPlatform }) {
  const { platform, name, startUrl } = place
  const label = platformLabel(platform)
  return (
    <div className="send-code">
      <div>
        <p>{ways[platform](name, inGroups(code))}</p>
        <a className="button primary" href={startUrl} target="_blank" rel="noopener noreferrer">
          {words.open(label)}
        </a>
        <p className="link-wait" role="status">
          <span className="spinner" aria-hidden="true" /> {words.waiting}
        </p>
      </div>
      {startUrl.includes(code) && (
        <Boundary key={startUrl} fallback={null}>
          <figure className="qr-figure">
            <Suspense fallback={<div className="qr-code" />}>
              <QrCode text={startUrl} label={words.qrCode(label)} />
            </Suspense>
            <figcaption className="hint">{words.scan}</figcaption>
          </figure>
        </Boundary>
      )}
    </div>
  )
}
