/** The template's SES identities and configuration sets, for events of returned mails. */
import type { Sending } from '../../emulators/aws/emulator.ts'
import { asList, asObject, asText } from '../template/json.ts'
import type { Template } from '../template/template.ts'

export function sendingOf(template: Template): Sending {
  const identities = template.ofType('AWS::SES::EmailIdentity').map(({ properties }) => properties)
  const destinations = template
    .ofType('AWS::SES::ConfigurationSetEventDestination')
    .map(({ properties }) => ({
      of: asText(properties.ConfigurationSetName),
      destination: asObject(properties.EventDestination),
    }))
    .filter(({ destination }) => destination.Enabled !== false && destination.EventBridgeDestination !== undefined)
  return {
    configurationSetOf(from) {
      const domain = from.slice(from.indexOf('@') + 1)
      const identity = identities.find(({ EmailIdentity }) => [from, domain].includes(asText(EmailIdentity)))
      const name = asObject(identity?.ConfigurationSetAttributes ?? {}).ConfigurationSetName
      return name === undefined ? undefined : asText(name)
    },
    eventsOf: (configurationSet) =>
      destinations
        .filter(({ of }) => of === configurationSet)
        .flatMap(({ destination }) =>
          asList(destination.MatchingEventTypes ?? []).map((type) => asText(type).toUpperCase()),
        ),
  }
}
