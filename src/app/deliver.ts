/** Delivers published sets to the targets of the settings. A failure is reported and never stops the night. */
import { UsageError } from '../domain/errors.ts';
import { deliverFiles } from '../publish/deliver/deliver.ts';
import { type Target, type TargetSettings, timely } from '../publish/deliver/target.ts';
import { requireSetPath } from '../publish/set-path.ts';
import { KnownSecrets } from '../text/secret-forms.ts';
import { readSecret } from '../text/unreadable.ts';
import type { Wiring } from './wiring.ts';

export interface SentSet {
  target: string;
  /** Files sent; 0 where everything was there already. */
  sent: number;
  /** Why it failed; null where it did not. */
  problem: string | null;
}

/** @param only names of targets; all where there are none. @throws UsageError for an unknown name */
export async function deliverSet(
  { settings, log }: Pick<Wiring, 'settings' | 'log'>,
  set: string,
  only: readonly string[] = [],
): Promise<readonly SentSet[]> {
  const known = settings.deliver.map(({ name }) => name);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--to ${unknown}: the settings have no such target; they have ${known.join(', ') || 'none'}`);
  const targets = settings.deliver.filter(({ name }) => only.length === 0 || only.includes(name));
  const results: SentSet[] = [];
  for (const target of targets) {
    const secrets: string[] = [];
    try {
      const sent = await deliverTo(settings.out, requireSetPath(set), target, (path) => {
        const secret = readSecret(path);
        // A server that repeats it may leave out its blanks.
        secrets.push(secret, secret.trim());
        return secret;
      });
      log.info({ target: target.name, set, sent }, 'delivered');
      results.push({ target: target.name, sent, problem: null });
    } catch (error) {
      // A server may repeat the password that it was given.
      const problem = new KnownSecrets(secrets).cut(error instanceof Error ? error.message : String(error), '[secret]');
      log.error(`${set} was not delivered to ${target.name}: ${problem}`);
      results.push({ target: target.name, sent: 0, problem });
    }
  }
  return results;
}

async function deliverTo(
  out: string,
  set: string,
  settings: TargetSettings,
  secretIn: (path: string) => string,
): Promise<number> {
  if (settings.type === 'email') {
    const { deliverMail } = await import('../publish/deliver/email.ts');
    const { passwordFile } = settings;
    await deliverMail(out, set, settings, passwordFile === null ? null : secretIn(passwordFile));
    return settings.attach.length;
  }
  const target = timely(await openTarget(settings, secretIn));
  try {
    return await deliverFiles(out, set, target);
  } finally {
    await target.close();
  }
}

async function openTarget(
  settings: Exclude<TargetSettings, { type: 'email' }>,
  secretIn: (path: string) => string,
): Promise<Target> {
  switch (settings.type) {
    case 'folder':
      return (await import('../publish/deliver/folder.ts')).folderTarget(settings.path);
    case 's3':
      // Blanks are of a password, never of an access key.
      return (await import('../publish/deliver/s3.ts')).s3Target(settings, secretIn(settings.secretFile).trim());
    case 'sftp': {
      const { keyFile, passwordFile } = settings;
      const login = {
        ...(keyFile === null ? {} : { privateKey: secretIn(keyFile) }),
        ...(passwordFile === null ? {} : { password: secretIn(passwordFile) }),
      };
      return (await import('../publish/deliver/sftp.ts')).sftpTarget(settings, login);
    }
  }
}
