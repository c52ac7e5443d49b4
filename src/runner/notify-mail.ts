/** Sends a message as a mail, by SMTP. */
import { NotSentError } from './notify-http.ts';
import type { Message } from './notify-message.ts';

export interface MailSettings {
  /** `smtp://user@host:587` (STARTTLS) or `smtps://user@host:465`; never with a password in it. */
  url: string;
  from: string;
  to: readonly string[];
}

export type SendMail = (mail: MailSettings, password: string | null, message: Message) => Promise<void>;

/**
 * With a password, the connection must be encrypted: a server that offers no STARTTLS is refused.
 * @throws NotSentError
 */
export const smtpSend: SendMail = async (mail, password, message) => {
  const { createTransport } = await import('nodemailer');
  const url = new URL(mail.url);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number.parseInt(url.port, 10),
    secure,
    requireTLS: password !== null,
    ...(user === '' || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // Nodemailer would read files and addresses that a text names; texts of records may name them.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: mail.from,
      to: [...mail.to],
      subject: message.title,
      text: `${message.lines.join('\n')}\n`,
    });
  } catch (error) {
    throw new NotSentError(codeOf(error), { cause: error });
  } finally {
    transport.close();
  }
};

/** `EAUTH 535`: the server's own message is left out, as it may repeat the mail. */
function codeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const words = [code, responseCode].filter((each) => typeof each === 'string' || typeof each === 'number');
  return words.length > 0 ? words.join(' ') : error instanceof Error ? error.name : 'unknown error';
}
