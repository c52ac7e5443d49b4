/**
 * The query of a webhook's address as host reference. The Service calls the address back unchanged (field facts
 * "Webhooks"), and integrators put their user or session there: it is how finance finds the person again.
 */

/** As long as the column of an import may be. */
const LONGEST = 256;

/** An address may carry a password, which reports must not show. */
const SECRET_NAME = /secret|token|passw|pwd|jwt|key$|auth|signature|credential/i;

/**
 * `userId=42&sessionId=7`, as it stood in the address, without the parameters that are named like secrets; null where
 * nothing is left. Whole parameters only: the last ones are left out where it would become too long.
 * @param url path and query, as the request has it.
 */
export function hostReferenceOf(url: string): string | null {
  const mark = url.indexOf('?');
  if (mark < 0) return null;
  let kept = '';
  for (const parameter of url.slice(mark + 1).split('&')) {
    const name = parameter.split('=', 1)[0] ?? '';
    if (parameter === '' || SECRET_NAME.test(decoded(name)) || !VISIBLE.test(parameter)) continue;
    const longer = kept === '' ? parameter : `${kept}&${parameter}`;
    if (longer.length > LONGEST) break;
    kept = longer;
  }
  return kept === '' ? null : kept;
}

/** A name with a lone `%` is not URL-encoded: it is compared as it came. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** It is shown in terminals and spreadsheets without further escaping. */
const VISIBLE = /^[\x21-\x7e]+$/;
