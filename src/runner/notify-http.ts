/** Sends to addresses that are credentials: no error contains the address or the answer. */
import { UnavailableError } from '../domain/errors.ts';
import { withoutSlashes } from '../text/url-path.ts';
import type { Message } from './notify-message.ts';

/** Sends one request and returns the status of the answer. */
export type PostText = (url: string, contentType: string, body: string) => Promise<number>;

/** A message that may be logged. */
export class NotSentError extends UnavailableError {}

const DEADLINE = 10_000;

/** Sends with Node's fetch. @throws NotSentError */
export const fetchPost: PostText = async (url, contentType, body) => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': contentType, 'user-agent': 'tieout' },
      body,
      // A redirect would send the message to an address that is not configured.
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE),
    });
    // The body is not needed, but unread it would keep the connection open.
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw new NotSentError(causeOf(error), { cause: error });
  }
};

/** `ECONNREFUSED`, `TimeoutError`: a code or a class, never a message, which might quote the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.name : 'unknown error';
}

export type Beat = 'start' | 'success' | 'fail';

/** As in healthchecks.io and its like: the bare address is success; `/start` and `/fail` are appended to it. */
export function beatUrl(heartbeatUrl: string, beat: Beat): string {
  if (beat === 'success') return heartbeatUrl;
  const url = new URL(heartbeatUrl);
  url.pathname = `${withoutSlashes(url.pathname)}/${beat}`;
  return url.href;
}

/** @throws NotSentError */
export async function sendBeat(post: PostText, heartbeatUrl: string, beat: Beat, text: string): Promise<void> {
  demandSuccess(await post(beatUrl(heartbeatUrl, beat), 'text/plain; charset=utf-8', text));
}

/** The JSON of Slack's incoming webhooks, which most others accept. @throws NotSentError */
export async function sendChat(post: PostText, webhookUrl: string, message: Message): Promise<void> {
  const text = [`*${escapeChat(message.title)}*`, ...message.lines.map(escapeChat)].join('\n');
  demandSuccess(await post(webhookUrl, 'application/json', JSON.stringify({ text })));
}

/** The three characters that Slack interprets; unescaped, a record could notify a whole channel (`<!channel>`). */
function escapeChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function demandSuccess(status: number): void {
  if (status < 200 || status > 299) throw new NotSentError(`it answered ${status}`);
}
