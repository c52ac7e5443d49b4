/** A captured quote for other eyes: an app may have stored the request with the host's key in it. */
import { endsInSecretName } from '../text/secret-names.ts';

const FIELD = /"([a-z_-]{1,64})"(\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

/** @param json request or response, as stored */
export function withoutSecrets(json: string): string {
  return json.replace(FIELD, (field, name: string, colon: string) =>
    endsInSecretName(name) || /^authorization$/i.test(name) ? `"${name}"${colon}"[cut out]"` : field,
  );
}
