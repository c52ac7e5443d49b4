/** Names of secrets, wherever a text, an address, a body or the settings give something a name. */

const WORDS = ['secret', 'token', 'apikey', 'password', 'passwd', 'pwd', 'jwt'];
const LONGEST = 24;

/** Also without digits: `apiKey1`, `view.token`. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[\d_.-]/g, '');

/** `…hostApiKey`, `…view_token`: what follows it is a secret. Only the end of the text is read: before it may stand anything. */
export function endsInSecretName(text: string): boolean {
  const end = plain(text.slice(-LONGEST));
  return WORDS.some((word) => end.endsWith(word));
}

/** A name that mentions a secret, which may be misspelt. */
export function isSecretName(name: string): boolean {
  const whole = plain(name);
  return WORDS.some((word) => whole.includes(word));
}

const OTHERS = /keys?$|^sig$|pass(?:w|phrase|code|$)|auth|signature|credential|cookie/;

/** A parameter of an address. It matches more names (`X-Amz-Signature`, `key2`), because hiding a harmless value here costs nothing. */
export const isSecretParameter = (name: string): boolean => isSecretName(name) || OTHERS.test(plain(name));

/** A field of a captured quote, which is evidence: its `tokenAddress` is shown. */
export const isSecretField = (name: string): boolean => endsInSecretName(name) || OTHERS.test(plain(name));
