/** The template's secrets. Generated ones are kept; those with local addresses are written at every start. */
import { randomInt } from 'node:crypto'
import type { RunningAws } from '../../emulators/aws/emulator.ts'
import { asObject, asText, type JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'

interface SecretStore {
  has(name: string): Promise<boolean>
  put(name: string, value: string): Promise<void>
}

/** Asks the emulated Secrets Manager whether a secret exists. */
export function secretStore({ env, putSecret }: Pick<RunningAws, 'env' | 'putSecret'>): SecretStore {
  const has = async (name: string) => {
    const response = await fetch(env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.DescribeSecret',
        authorization: 'AWS4-HMAC-SHA256 Credential=local',
      },
      body: JSON.stringify({ SecretId: name }),
    })
    await response.arrayBuffer()
    return response.ok
  }
  return { has, put: putSecret }
}

/** @param local values by the last part of a secret's name, as in `berth/local/stripe` */
export async function fillSecrets(
  template: Template,
  store: SecretStore,
  local: Record<string, JsonObject>,
): Promise<void> {
  for (const { name, properties } of template.ofType('AWS::SecretsManager::Secret')) {
    const value = local[name.split('/').pop() ?? '']
    if (value) await store.put(name, JSON.stringify(value))
    else if (!(await store.has(name))) await store.put(name, initialValue(properties))
  }
}

/** The template's text, or a generated password. */
export function initialValue(properties: JsonObject): string {
  if (properties.SecretString !== undefined) return asText(properties.SecretString)
  const rules = asObject(properties.GenerateSecretString)
  const generated = password(rules)
  if (rules.GenerateStringKey === undefined) return generated
  const template = asObject(JSON.parse(asText(rules.SecretStringTemplate, '{}')))
  return JSON.stringify({ ...template, [asText(rules.GenerateStringKey)]: generated })
}

const passwordLength = 32

function password(rules: JsonObject): string {
  const excluded = asText(rules.ExcludeCharacters)
  const classes: [string, boolean][] = [
    ['abcdefghijklmnopqrstuvwxyz', rules.ExcludeLowercase !== true],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', rules.ExcludeUppercase !== true],
    ['0123456789', rules.ExcludeNumbers !== true],
    ['!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', rules.ExcludePunctuation !== true],
    [' ', rules.IncludeSpace === true],
  ]
  const alphabet = classes
    .filter(([, included]) => included)
    .flatMap(([characters]) => [...characters])
    .filter((character) => !excluded.includes(character))
  const length = Number(asText(rules.PasswordLength, `${passwordLength}`))
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
