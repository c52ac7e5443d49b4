/** A captured quote for other eyes: an app may have stored the request with the host's key in it. */

const SECRET =
  /"((?:host_?)?api_?key|[a-z_]*view_?token|access_?token|authorization|[a-z_]*secret|password)"(\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

/** @param json request or response, as stored */
export function withoutSecrets(json: string): string {
  return json.replace(SECRET, '"$1"$2"[cut out]"');
}
