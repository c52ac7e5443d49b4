/** The connection to a mail server, for notices and for delivered sets. */
import type { Transporter } from 'nodemailer';

/**
 * With a password, the connection must be encrypted: a server that offers no STARTTLS is refused.
 * @param address `smtp://user@host:587` (STARTTLS) or `smtps://user@host:465`; never with a password in it
 * @param quietMs how long the server may be silent
 */
export async function openMailServer(
  address: string,
  password: string | null,
  quietMs: number,
): Promise<Pick<Transporter, 'sendMail' | 'close'>> {
  const { createTransport } = await import('nodemailer');
  const url = new URL(address);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number.parseInt(url.port, 10),
    secure,
    requireTLS: password !== null,
    ...(user === '' || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: quietMs,
    // Nodemailer would read files and addresses that a text names; texts of records may name them.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
