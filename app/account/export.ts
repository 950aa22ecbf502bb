import type * as z from 'zod'
import type { AccountExport, ExportLists, records } from '../../domain/account/export.ts'
import { showPasskey } from '../../domain/account/passkey.ts'
import { showAccount, showSession, type UserRecord } from '../../domain/account/user.ts'
import { showSkill } from '../../domain/catalogue/skill.ts'
import { showLinks } from '../../domain/channels/link.ts'
import { invalid } from '../../domain/errors.ts'
import { showPoint } from '../../domain/files/restore-point.ts'
import { showHook } from '../../domain/hooks/hook.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { showRun } from '../../domain/instance/run.ts'
import { showDevice } from '../../domain/notifications/device.ts'
import { showNotification } from '../../domain/notifications/notification.ts'
import { bytesInAnswer, firstThatFit, type Page } from '../../domain/page.ts'
import { iso } from '../../domain/time.ts'
import { isAppAccess, showPat } from '../../domain/tokens/pat.ts'
import { showWallet } from '../../domain/wallet/wallet.ts'
import { showEndpoint } from '../../domain/webhooks/endpoint.ts'
import { showSchedule } from '../instance/schedules.ts'
import type { Audit, Passkeys, Sessions } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import type { Conversations } from '../ports/chat.ts'
import type { RestorePoints } from '../ports/files.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { Instances, Runs, Schedules } from '../ports/instance.ts'
import type { Notifications, PushDevices } from '../ports/notifications.ts'
import type { Tokens } from '../ports/tokens.ts'
import type { Wallets } from '../ports/wallet.ts'
import type { Webhooks } from '../ports/webhooks.ts'

type ExportPorts = {
  audit: Audit
  catalogue: Catalogue
  channelLinks: ChannelLinks
  conversations: Conversations
  hooks: Hooks
  instances: Instances
  notifications: Notifications
  passkeys: Passkeys
  pushDevices: PushDevices
  restorePoints: RestorePoints
  runs: Runs
  schedules: Schedules
  sessions: Sessions
  tokens: Tokens
  wallets: Wallets
  webhooks: Webhooks
}

/** One part of the export; the first part has all data of bounded size. @param from `nextCursor` of the part before */
export async function exportAccount(
  deps: ExportPorts & { settings: Settings },
  user: UserRecord,
  { sessionId, from, nowMs }: { sessionId: string; from: string | undefined; nowMs: number },
): Promise<AccountExport> {
  const [all, { lists, next }] = await Promise.all([
    from === undefined ? readRecords(deps, user, sessionId, nowMs) : {},
    readPart(deps, user.id, from, nowMs),
  ])
  return { exportedAt: iso(nowMs), ...all, ...lists, nextCursor: next }
}

async function readRecords(
  deps: ExportPorts & { settings: Settings },
  user: UserRecord,
  sessionId: string,
  nowMs: number,
): Promise<z.infer<typeof records>> {
  const { id: userId } = user
  const [
    instance,
    money,
    autoTopUp,
    choices,
    skills,
    schedules,
    hooks,
    links,
    endpoints,
    points,
    tokens,
    sessions,
    passkeys,
    devices,
  ] = await Promise.all([
    deps.instances.find(userId),
    deps.wallets.read(userId),
    deps.wallets.autoTopup(userId),
    deps.catalogue.choices(userId),
    deps.catalogue.skills(),
    deps.schedules.list(userId),
    deps.hooks.list(userId),
    deps.channelLinks.list(userId),
    deps.webhooks.endpoints(userId),
    deps.restorePoints.list(userId),
    deps.tokens.list(userId),
    deps.sessions.list(userId, nowMs),
    deps.passkeys.list(userId),
    deps.pushDevices.list(userId),
  ])
  return {
    account: showAccount(user),
    terms: user.terms,
    subscription: user.subscription,
    wallet: showWallet(money, nowMs, autoTopUp),
    instance: instance && showInstance(instance),
    variables: choices.variables,
    schedules: schedules.map((schedule) => showSchedule(schedule, nowMs)),
    hooks: hooks.map((hook) => showHook(hook, deps.settings.publicOrigin)),
    channels: showLinks(links),
    webhookEndpoints: endpoints.map(showEndpoint),
    skills: skills
      .map((skill) => showSkill(skill, choices))
      .map(({ id, version, enabled }) => ({ id, version, enabled })),
    restorePoints: points.map(showPoint),
    tokens: tokens.filter((token) => !isAppAccess(token)).map((token) => showPat(token, nowMs)),
    sessions: sessions.map((session) => showSession(session, sessionId)),
    passkeys: passkeys.map(showPasskey),
    muted: user.muted,
    pushDevices: devices.map((device) => showDevice(device, sessionId)),
  }
}

/** A part ends after this many lines or bytes; its last page may add up to `maxPageBytes`. */
const partLimits = { lines: 2_000, bytes: 1_500_000 }

const order = ['transactions', 'conversations', 'messages', 'audit', 'notifications', 'personas', 'runs'] as const

type ListName = (typeof order)[number]

/** The lines of one part, and where the next part begins. @param from the `next` of the part before */
async function readPart(
  deps: ExportPorts,
  userId: string,
  from: string | undefined,
  nowMs: number,
): Promise<{ lists: ExportLists; next: string | null }> {
  const lists: ExportLists = {
    transactions: [],
    conversations: [],
    messages: [],
    audit: [],
    notifications: [],
    personas: [],
    runs: [],
  }
  const part = { lines: 0, bytes: 0 }
  const isFull = () => part.lines >= partLimits.lines || part.bytes >= partLimits.bytes
  const append = <T>(list: T[], { items, next }: Page<T>): string | null => {
    list.push(...items)
    part.lines += items.length
    part.bytes += bytesInAnswer(items)
    return next
  }
  const read: Record<ListName, (after: string | null) => Promise<string | null>> = {
    transactions: async (after) =>
      append(lists.transactions, await deps.wallets.transactions(userId, { after, limit: 100 })),
    conversations: async (after) =>
      append(lists.conversations, await deps.conversations.list(userId, { after, limit: 100 })),
    messages: async (after) =>
      append(lists.messages, await deps.conversations.everyMessage(userId, { after, limit: 25 })),
    audit: async (after) => append(lists.audit, await deps.audit.list(userId, { after, limit: 100 })),
    notifications: async (after) => {
      const [page, unread] = await Promise.all([
        deps.notifications.list(userId, { after, limit: 100 }),
        deps.notifications.unread(userId),
      ])
      return append(lists.notifications, { ...page, items: page.items.map((each) => showNotification(each, unread)) })
    },
    personas: async (after) => append(lists.personas, await nextVersions(deps, userId, after)),
    runs: async (after) => {
      const page = await deps.runs.ended(userId, { after, limit: 100 }, nowMs)
      return append(lists.runs, { ...page, items: page.items.map((each) => showRun(each, nowMs)) })
    },
  }
  let { name, after } = parsePosition(from)
  for (;;) {
    after = await read[name](after)
    const following = after === null ? order[order.indexOf(name) + 1] : name
    if (!following) return { lists, next: null }
    name = following
    if (isFull()) return { lists, next: `${name} ${after ?? ''}` }
  }
}

/** Kept versions of one persona. The position is a persona's `id`, or `id#version` of its last exported version. */
async function nextVersions(
  { catalogue }: Pick<ExportPorts, 'catalogue'>,
  userId: string,
  after: string | null,
): Promise<Page<ExportLists['personas'][number]>> {
  const { personas } = await catalogue.choices(userId)
  const [last = '', version] = after?.split('#') ?? []
  const ids = personas.map(({ id }) => id).sort()
  const left = ids.filter((id) => id > last || (id === last && version !== undefined))
  const [id] = left
  if (id === undefined) return { items: [], next: null }
  const versions = (await catalogue.versions(userId, id)).filter(
    (each) => id !== last || each.version < Number(version),
  )
  const items = firstThatFit(versions)
  if (items.length < versions.length) return { items, next: `${id}#${items.at(-1)?.version}` }
  return { items, next: left.length > 1 ? id : null }
}

function parsePosition(from: string | undefined): { name: ListName; after: string | null } {
  if (from === undefined) return { name: 'transactions', after: null }
  const [text, after] = from.split(' ')
  const name = order.find((known) => known === text)
  if (!name) throw invalid('cursor', 'use the unchanged nextCursor of an earlier answer.')
  return { name, after: after || null }
}
