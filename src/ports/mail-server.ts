/** The connection to a mail server, for notices and for delivered sets. */
import type { SendMailOptions } from 'nodemailer';

/** Some have the mail. The code is nodemailer's own for refused addresses. */
class RefusedForSomeError extends Error {
  readonly code = 'EENVELOPE';
}

/**
 * With a password, the connection must be encrypted: a server that offers no STARTTLS is refused.
 * @param address `smtp://user@host:587` (STARTTLS) or `smtps://user@host:465`; never with a password in it
 * @param quietMs how long the server may be silent
 * @throws the server's errors, and RefusedForSomeError
 */
export async function sendMail(
  { address, password, quietMs }: { address: string; password: string | null; quietMs: number },
  mail: SendMailOptions,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const url = new URL(address);
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
    socketTimeout: quietMs,
    // Nodemailer would read files and addresses that a text names; texts of records may name them.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail(mail);
    if (rejected.length > 0) throw new RefusedForSomeError(`refused for ${rejected.join(', ')}; the others have it`);
  } finally {
    transport.close();
  }
}
