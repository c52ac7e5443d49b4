/** Sends a message as a mail, by SMTP. */
import { sendMail } from '../ports/mail-server.ts';
import { NotSentError } from './notify-http.ts';
import type { Message } from './notify-message.ts';

export interface MailSettings {
  /** As `sendMail` takes it. */
  url: string;
  from: string;
  to: readonly string[];
}

export type SendMail = (mail: MailSettings, password: string | null, message: Message) => Promise<void>;

/** @throws NotSentError */
export const smtpSend: SendMail = async (mail, password, message) => {
  try {
    await sendMail(
      { address: mail.url, password, quietMs: 20_000 },
      { from: mail.from, to: [...mail.to], subject: message.title, text: `${message.lines.join('\n')}\n` },
    );
  } catch (error) {
    throw new NotSentError(codeOf(error), { cause: error });
  }
};

/** `EAUTH 535`: the server's own message is left out, as it may repeat the mail. */
function codeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const words = [code, responseCode].filter((each) => typeof each === 'string' || typeof each === 'number');
  return words.length > 0 ? words.join(' ') : error instanceof Error ? error.name : 'unknown error';
}
