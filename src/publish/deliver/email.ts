/** A mail about a delivered set: its counts, where it is, and files of it where they are asked for. */
import { UnavailableError } from '../../domain/errors.ts';
import { sendMail } from '../../ports/mail-server.ts';
import { withoutSlashes } from '../../text/url-path.ts';
import { manifestOf, provenFile } from './deliver.ts';
import type { TargetSettings } from './target.ts';

type Mail = Extract<TargetSettings, { type: 'email' }>;

/** Mail servers refuse more. */
const MOST_ATTACHED = 15 * 1024 * 1024;

/** @throws UnavailableError; the mail server's errors */
export async function deliverMail(out: string, set: string, mail: Mail, password: string | null): Promise<void> {
  const { manifest } = manifestOf(out, set);
  const listed = new Map(manifest.files.map((file) => [file.name, file]));
  const attached = mail.attach.map((name) => {
    const file = listed.get(name);
    if (file !== undefined) return file;
    throw new UnavailableError(`the set has no ${name} to attach; it has ${[...listed.keys()].join(', ')}`);
  });
  const size = attached.reduce((sum, { bytes }) => sum + bytes, 0);
  if (size > MOST_ATTACHED) {
    const remedy = 'attach fewer files, or deliver to a folder and set link';
    const what = `the attachments have ${size} bytes, and mail servers refuse more than ${MOST_ATTACHED}`;
    throw new UnavailableError(what, { remedy });
  }
  const { job, business_date: date, revision, population, status, verdicts } = manifest;
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${verdict}: ${count}`);
  const attachments = await Promise.all(
    attached.map(async (file) => ({
      filename: `${date}-${file.name}`,
      content: await provenFile(out, set, file),
    })),
  );
  await sendMail(
    { address: mail.url, password, quietMs: 60_000 },
    {
      from: mail.from,
      to: [...mail.to],
      subject: `Tieout: ${job} of ${date}${revision > 1 ? ` (revision ${revision})` : ''}, ${status}`,
      text: `${[
        `Records: ${population}`,
        ...counts,
        ...(mail.link === null ? [] : [`Reports: ${withoutSlashes(mail.link)}/${set}/`]),
        `Files: ${[...listed.keys()].join(', ')}`,
      ].join('\n')}\n`,
      attachments,
    },
  );
}
