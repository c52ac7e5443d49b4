/** `tieout verify`: re-hashes, re-parses and re-totals published sets, and checks signatures and the chain of manifests. */

import { EXIT } from '../../domain/errors.ts';
import type { PublicKey } from '../../publish/keys.ts';
import type { VerifiedSet } from '../../publish/verify-files.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import { snakeCase } from '../output.ts';
import type { Session } from '../session.ts';

export const register: Register = (program) => {
  command(program, 'verify', {
    details:
      'A folder is one set, one business date, the periods, or the whole out folder. Signatures are checked with ' +
      'the keys of publish.verifyKeys, or with those given. Exits with 1 if a set fails, or if there is none. A set from before signing ' +
      'was turned on is reported as unsigned, and passes unless --require-signed is given. Of the pack of a claim, give the ' +
      'folder that it was unpacked into.',
    examples: [
      'tieout verify out/latest',
      'tieout verify out --public-key tieout-signing.pub.pem --require-signed',
      'unzip -d claim claim-3f9a1c77ab02.zip && tieout verify claim',
    ],
  })
    .argument('<dir...>', 'folders to verify')
    .option('--public-key <file>', 'check signatures with this key instead of publish.verifyKeys; repeatable', collect)
    .option('--database', 'also check the figures in the database against their keyed digests')
    .option('--require-signed', 'fail sets without a signature')
    .runs(async (session, folders, { publicKey, requireSigned = false, database = false }) => {
      const { out } = session;
      const { verifySets } = await import('../../publish/verify.ts');
      const sets = await verifySets(folders, { keys: await keysFor(session, publicKey), requireSigned });
      const rows = database ? (await (await session.app()).upkeep.check(session.signal)).problems : [];
      const bad = sets.filter(({ problems }) => problems.length > 0);
      if (out.json) await out.value(sets.map(snakeCase));
      else {
        for (const set of sets) await out.verified(set.path, set.problems, contentsOf(set));
        for (const row of rows) await out.line(`${out.paint('red', 'FAILS')}  ${row}`);
        if (bad.some(({ runId }) => runId !== null))
          await out.line(
            '\nA set that fails was changed after it was published. Restore it from a backup, or render the run again: tieout report RUN',
          );
      }
      return bad.length + rows.length > 0 ? EXIT.breaks : EXIT.clean;
    });
};

/** With keys given, an auditor needs no settings. */
async function keysFor(session: Session, given: readonly string[] | undefined): Promise<readonly PublicKey[]> {
  const { verifyKeysOf } = await import('../../publish/sign.ts');
  return verifyKeysOf(given ?? (await session.settings()).settings.publish.verifyKeys);
}

function contentsOf({ claimId, files, rows, signature, keyId }: VerifiedSet): string {
  const key = keyId?.slice(0, 16);
  const signed = {
    good: `, signed with ${key}`,
    unchecked: `, signed with ${key} (not checked: no public key was given)`,
    unsigned: ', unsigned',
    bad: '',
  }[signature];
  return `: ${claimId === undefined ? '' : `${claimId}, `}${counted(files, 'file')}, ${counted(rows, 'row')}${signed}`;
}
