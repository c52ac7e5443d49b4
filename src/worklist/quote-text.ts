/** A captured quote for other eyes: an app may have stored the request with the host's key in it. */
import { withoutNamedSecrets } from '../text/named-secrets.ts';
import { isSecretField } from '../text/secret-names.ts';

/** The library of types lacks it. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** @param json request or response, as stored; its numbers keep their digits */
export function withoutSecrets(json: string): string {
  const cut = (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (typeof value === 'boolean' || value === null) return value;
    if (isSecretField(name)) return '[cut out]';
    if (typeof value === 'string') return withoutNamedSecrets(value);
    return typeof value === 'number' ? rawJSON(source) : value;
  };
  return JSON.stringify(JSON.parse(json, cut));
}
